// Requests that stay open for notifications: they keep neither a process alive whose input has ended, nor a connection from being served.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { descriptors, logLines, until, withServer } from './server.mjs';

const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
};
const listen = (id) => JSON.stringify({
    jsonrpc: '2.0', id, method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: META },
});

for (const end of ['\n', '']) {
    test(`the last line listens, ${end ? 'with' : 'without'} its end`, () => withServer({ files: {}, env: {} }, async (server) => {
        server.child.stdin.end(listen(1) + end);
        assert.equal(await server.exited, 0);
    }));
}

const LISTENERS_MAX = 64;
const cancel = (id) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, _meta: META } });
const listenManyTimes = (count) => Array.from({ length: count }, (_, id) => `${listen(id)}\n`).join('');

test('the 65th listener of a connection is refused, and other requests are answered', () => withServer({ args: ['--socket', 's.sock'] }, async (server) => {
    const peer = await server.connect();
    peer.socket.write(listenManyTimes(LISTENERS_MAX));
    for (let id = 0; id < LISTENERS_MAX; id++) assert.equal(JSON.parse(await peer.lines.next()).method, 'notifications/subscriptions/acknowledged');
    peer.socket.write(`${listen('one more')}\n`);
    const refused = JSON.parse(await peer.lines.next());
    assert.deepEqual([refused.id, refused.error.code], ['one more', -32600]);
    assert.match(refused.error.data.details, /too many open subscriptions\/listen requests/);
    assert.deepEqual((await peer.ask('other', 'list_schemas')).result.schemas, []);
    peer.socket.write(`${cancel(0)}\n${listen('again')}\n`);
    assert.equal(JSON.parse(await peer.lines.next()).params._meta['io.modelcontextprotocol/subscriptionId'], 'again');
}));

test('input ends with as many listeners as there may be', () => withServer({}, async (server) => {
    server.child.stdin.end(listenManyTimes(2 * LISTENERS_MAX));
    assert.equal(await server.exited, 0);
}));

test('clients that listen and leave are forgotten', () => withServer({ args: ['--socket', 's.sock'] }, async (server) => {
    const first = await server.connect();
    assert.equal((await first.ask(1, 'list_schemas')).id, 1);
    const before = descriptors(server.child.pid);
    const peers = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
    for (const peer of peers) peer.socket.write(listenManyTimes(2 * LISTENERS_MAX));
    for (const peer of peers) await until('a refusal', () => peer.lines.text.includes('"error"'));
    for (const peer of peers) peer.socket.destroy();
    await until('their descriptors', () => descriptors(server.child.pid) === before);
}));

// A listener keeps only a short form of its message; its log line is about the message as it was sent.
const NAMESPACE = Buffer.from('c1fd1c2077b74f73b39c8ed2dd2f2d8c', 'hex');
const sorted = (value) => Array.isArray(value) ? value.map(sorted)
    : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]))
    : value;
function uuid5(text) {
    const bytes = createHash('sha1').update(NAMESPACE).update(text).digest().subarray(0, 16);
    bytes[6] = (bytes[6] & 15) | 0x50;
    bytes[8] = (bytes[8] & 63) | 0x80;
    return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

test('the log line of a listener is made of the whole message', () => withServer({ files: {}, env: { MCPGATE_LOG_DIR: 'runs' } }, async (server) => {
    const method = 'subscriptions/listen';
    const params = {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['mcpgate://diagnostics', 'mcpgate://diagnostics'] },
        _meta: { ...META, agentId: 'agent-7', taskId: 'task-8', padding: 'x'.repeat(100000) },
    };
    const line = JSON.stringify({ jsonrpc: '2.0', id: 'listener', method, params });
    server.send(line);
    const acknowledged = JSON.parse(await server.out.next());
    assert.deepEqual(acknowledged.params.notifications, { toolsListChanged: true, resourceSubscriptions: ['mcpgate://diagnostics'] });
    server.child.stdin.end();
    assert.equal(await server.exited, 0);
    const [event] = await until('a line', () => { const lines = logLines(server, 'runs'); return lines.length && lines; });
    const payload = JSON.stringify(sorted({ method, payload: params, route: 'mcp' }));
    assert.equal(event.requestId, uuid5(`req:${payload}`));
    assert.equal(event.spanId, uuid5(`span:${payload}`));
    assert.equal(event.inputBytes, line.length);
    assert.equal(event.agentId, 'agent-7');
    assert.equal(event.taskId, 'task-8');
}));
