// Clients that subscribe to changes get the notifications they asked for, on their own stream, and nothing else.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { get, post, withHttp } from './http_client.mjs';
import { request, Server, sleep, until } from './server.mjs';

const PREFIX = 'io.modelcontextprotocol/';
const META = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} };
const SUBSCRIPTION = `${PREFIX}subscriptionId`;
const settings = { files: { 'schemas/part.schema.json': {} }, env: { SYN_SCHEMAS_DIR: 'schemas', MCPGATE_THREADS: '4' } };
const PART = 'mcpgate://schemas/part';
const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const listen = (id, notifications) => request(id, 'subscriptions/listen', { notifications, _meta: META });

// One schema more, one changed; tools and prompts stay.
async function change(server) {
    server.write('schemas/new.schema.json', {});
    server.write('schemas/part.schema.json', { type: 'object' });
    server.kill('SIGHUP');
    await server.said(/mcp:reload schemas=2 /);
}

// A stream of events: the messages that came, and whether it is over.
const openStream = (port, options, body) => new Promise((resolve, reject) => {
    const asked = http.request({ host: '127.0.0.1', port, path: '/mcp', agent: false, ...options }, (answer) => {
        const stream = { status: answer.statusCode, headers: answer.headers, messages: [], isOver: false, close: () => asked.destroy() };
        let text = '';
        answer.on('data', (data) => {
            text += data;
            const events = text.split('\n\n');
            text = events.pop();
            for (const event of events) if (event.startsWith('data: ')) stream.messages.push(JSON.parse(event.slice(6)));
        });
        answer.on('end', () => { stream.isOver = true; });
        answer.on('error', () => {});
        resolve(stream);
    });
    asked.on('error', reject);
    asked.end(body);
});

const openListener = (port, id, notifications) => {
    const body = listen(id, notifications);
    return openStream(port, { method: 'POST', headers: {
        'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen',
    } }, body);
};

const methods = (messages) => messages.map(({ method }) => method).sort();
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const LIST = 'notifications/resources/list_changed';
const UPDATED = 'notifications/resources/updated';

test('a legacy client on lines: lists once it is ready, resources it subscribed to', async () => {
    const [ready, hasty] = [new Server(settings), new Server(settings)];
    try {
        for (const server of [ready, hasty]) { server.send(INITIALIZE); await server.out.next(); }
        ready.send(INITIALIZED);
        assert.deepEqual((await ready.ask(2, 'resources/subscribe', { uri: PART })).result, {});
        await change(ready);
        await change(hasty);
        const told = [JSON.parse(await ready.out.next()), JSON.parse(await ready.out.next())];
        assert.deepEqual(methods(told), [LIST, UPDATED]);
        assert.equal(told.find(({ method }) => method === UPDATED).params.uri, PART);
        assert.equal((await hasty.ask(3, 'ping')).id, 3, 'it has not said that it is ready');
    } finally {
        await ready.end();
        await hasty.end();
    }
});

test('modern clients on lines: several listeners on one connection, told apart', async () => {
    const server = new Server(settings);
    try {
        const open = async (id, notifications) => { server.send(listen(id, notifications)); return JSON.parse(await server.out.next()); };
        const first = await open('one', { resourcesListChanged: true, toolsListChanged: true });
        assert.equal(first.method, ACKNOWLEDGED);
        assert.equal(first.params._meta[SUBSCRIPTION], 'one');
        assert.deepEqual(first.params.notifications, { resourcesListChanged: true, toolsListChanged: true });
        await open(2, { resourceSubscriptions: [PART] });
        await open('three', { toolsListChanged: true, promptsListChanged: true });
        await open('four', { resourcesListChanged: true });
        server.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"four"}}');
        await change(server);
        const told = [JSON.parse(await server.out.next()), JSON.parse(await server.out.next())];
        assert.deepEqual(told.map(({ method, params }) => [method, params._meta[SUBSCRIPTION]]).sort(), [[LIST, 'one'], [UPDATED, 2]]);
        assert.equal((await server.ask(9, 'ping')).id, 9, 'no other client gets a notification');
        server.child.stdin.end();
        assert.equal(await server.exited, 0);
        const ends = server.out.text.trimEnd().split('\n').slice(-3).map((line) => JSON.parse(line));
        assert.deepEqual(ends.map(({ id, result }) => [id, result.resultType, result._meta[SUBSCRIPTION]]).sort(), [[2, 'complete', 2], ['one', 'complete', 'one'], ['three', 'complete', 'three']]);
    } finally {
        await server.end();
    }
});

test('modern clients over HTTP: each on its own stream, which ends with a result', () => withHttp(settings, async (server) => {
    const lists = await openListener(server.port, 'lists', { resourcesListChanged: true });
    const resource = await openListener(server.port, 7, { resourceSubscriptions: [PART] });
    const nothing = await openListener(server.port, 'nothing', { toolsListChanged: true });
    const gone = await openListener(server.port, 'gone', { resourcesListChanged: true });
    assert.deepEqual([lists.status, lists.headers['content-type'], lists.headers['x-accel-buffering'], lists.headers['cache-control']], [200, 'text/event-stream', 'no', 'no-cache']);
    for (const stream of [lists, resource, nothing]) await until('the acknowledgement', () => stream.messages.length === 1 && stream.messages[0].method === ACKNOWLEDGED);
    gone.close();
    await change(server);
    await until('the news', () => lists.messages.length === 2 && resource.messages.length === 2);
    assert.deepEqual(lists.messages[1], { jsonrpc: '2.0', method: LIST, params: { _meta: { [SUBSCRIPTION]: 'lists' } } });
    assert.deepEqual(resource.messages[1], { jsonrpc: '2.0', method: UPDATED, params: { _meta: { [SUBSCRIPTION]: 7 }, uri: PART } });
    await sleep(100);
    server.kill('SIGTERM');
    for (const stream of [lists, resource, nothing]) await until('the end', () => stream.isOver);
    assert.equal(nothing.messages.length, 2, 'its acknowledgement and its end');
    for (const [stream, id] of [[lists, 'lists'], [resource, 7], [nothing, 'nothing']]) {
        const last = stream.messages.at(-1);
        assert.deepEqual([last.id, last.result.resultType, last.result._meta[SUBSCRIPTION]], [id, 'complete', id]);
    }
    assert.equal(await server.exited, 0);
}));

test('a legacy session over HTTP: on its newest stream alone', () => withHttp(settings, async (server) => {
    const accept = { Accept: 'application/json, text/event-stream' };
    const begin = async () => ({ ...accept, 'Mcp-Session-Id': (await post(server.port, '/mcp', INITIALIZE, accept)).headers['mcp-session-id'] });
    const [session, other] = [await begin(), await begin()];
    for (const headers of [session, other]) assert.equal((await post(server.port, '/mcp', INITIALIZED, headers)).status, 202);
    await post(server.port, '/mcp', request(2, 'resources/subscribe', { uri: PART }), session);
    const streams = [];
    for (const headers of [session, session, other]) streams.push(await openStream(server.port, { headers: { ...headers, Accept: 'text/event-stream' } }));
    await change(server);
    await until('the news', () => streams[1].messages.length === 2 && streams[2].messages.length === 1);
    await sleep(100);
    assert.deepEqual(streams.map(({ messages }) => methods(messages)), [[], [LIST, UPDATED], [LIST]]);
    streams[1].close();
    await until('its end, and so three connections with the one that asks', async () => /^mcpgate_connections\{transport="http"\} 3$/m.test((await get(server.port, '/metrics')).text));
    server.write('schemas/part.schema.json', { type: 'array' });
    server.kill('SIGHUP');
    await until('the news on the one that is left', () => streams[0].messages.length > 0);
    assert.deepEqual(methods(streams[0].messages), [LIST, UPDATED]);
    for (const stream of streams) stream.close();
}));

const DIAGNOSTICS = 'mcpgate://diagnostics';
const toldOf = ({ messages }) => messages.filter(({ method, params }) => method === UPDATED && params.uri === DIAGNOSTICS).length;

test('diagnostics: subscribers are notified of new problems only, and of several at once', () => withHttp(settings, async (server) => {
    const peer = await server.connect();
    await peer.ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
    peer.socket.write(`${INITIALIZED}\n`);
    assert.deepEqual((await peer.ask(2, 'resources/subscribe', { uri: DIAGNOSTICS })).result, {});
    const legacy = { messages: [] };
    peer.socket.on('data', (data) => legacy.messages.push(...`${data}`.trimEnd().split('\n').map((line) => JSON.parse(line))));
    const listeners = [];
    for (let i = 0; i < 4; i++) listeners.push(await openListener(server.port, i, { resourceSubscriptions: [DIAGNOSTICS] }));
    const other = await openListener(server.port, 'other', { resourcesListChanged: true, resourceSubscriptions: [PART] });
    const all = [legacy, ...listeners];
    const keepAlive = new http.Agent({ keepAlive: true, maxSockets: 1 }); // one connection, and so one loop
    const send = (path, body, client) => post(server.port, path, body, { 'User-Agent': client }, { agent: keepAlive });
    const sendUnknown = (client) => send('/rpc', request(1, 'no/such'), client);
    await sendUnknown('first');
    await until('the news', () => all.every((one) => toldOf(one) === 1));
    assert.deepEqual(listeners[2].messages.at(-1), { jsonrpc: '2.0', method: UPDATED, params: { _meta: { [SUBSCRIPTION]: 2 }, uri: DIAGNOSTICS } });
    await sendUnknown('first');
    await sleep(1500);
    assert.deepEqual(all.map(toldOf), [1, 1, 1, 1, 1], 'the same again is counted');
    for (let i = 0; i < 50; i++) await send('/v1/invoke', '{}', `client ${i}`);
    await until('more news', () => all.every((one) => toldOf(one) > 1));
    await sleep(1500);
    for (const one of all) assert.ok(toldOf(one) < 10, `told ${toldOf(one)} times`);
    assert.equal(other.messages.length, 1, 'its acknowledgement alone');
    peer.socket.write(`${request(3, 'resources/unsubscribe', { uri: DIAGNOSTICS })}\n`);
    await until('the answer', () => legacy.messages.some(({ id }) => id === 3));
    const before = all.map(toldOf);
    await sendUnknown('last');
    await until('the last news', () => listeners.every((one, i) => toldOf(one) > before[i + 1]));
    await sleep(100);
    assert.equal(toldOf(legacy), before[0], 'it hears no more');
    keepAlive.destroy();
    peer.socket.destroy();
    for (const stream of [...listeners, other]) stream.close();
}));
