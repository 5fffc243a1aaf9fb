// Requests that are refused before they are messages are counted and, within limits, logged; and diagnostics.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { get, post, withHttp } from './http_client.mjs';
import { logLines, request, withServer } from './server.mjs';

const TOKEN = 'canary-token-4711';
const ENV = { MCPGATE_LOG_DIR: 'runs', MCPGATE_TOKEN: TOKEN, MCPGATE_THREADS: '1' };
const BEARER = { Authorization: `Bearer ${TOKEN}` };

const raw = (port, text) => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', resolve);
});

// All lines there are when the server has ended.
async function linesAtEnd(server) {
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    const lines = logLines(server, 'runs');
    assert.ok(!JSON.stringify(lines).includes(TOKEN), 'the token is nowhere');
    return lines;
}

test('each kind of refusal is a line and a number', () => withHttp({ env: ENV }, async (server) => {
    const { port } = server;
    await post(port, '/rpc', request(1, 'list_schemas'));
    await get(port, `/nothing/here?token=${TOKEN}`, BEARER);
    await get(port, '/rpc', BEARER);
    await post(port, '/rpc', '{}', { ...BEARER, 'Content-Type': 'text/plain' });
    await post(port, '/rpc', '{}', { ...BEARER, Origin: 'http://elsewhere.test' });
    await raw(port, 'no request\r\n\r\n');
    await raw(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'a'.repeat(20000)}\r\n\r\n`);
    const { text } = await get(port, '/metrics', BEARER);
    const lines = await linesAtEnd(server);
    const statuses = [401, 404, 405, 415, 403, 400, 431];
    assert.deepEqual(lines.map((line) => line.status), statuses.map((status) => `http_${status}`));
    for (const [i, status] of statuses.entries()) {
        assert.equal(lines[i].transport, 'http');
        assert.equal(lines[i].stage, 'frame');
        assert.equal(lines[i].error.code, `HTTP_${status}`);
        assert.match(lines[i].requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-5/);
        assert.ok(text.includes(`mcpgate_refusals_total{transport="http",status="${status}"} 1\n`));
    }
}));

test('a flood of refused requests does not fill the disk', () => withHttp({ env: ENV }, async (server) => {
    const began = Date.now();
    for (let i = 0; i < 100; i++) await get(server.port, '/rpc');
    const seconds = Math.ceil((Date.now() - began) / 1000) + 1;
    const { text } = await get(server.port, '/metrics', BEARER);
    assert.ok(text.includes('mcpgate_refusals_total{transport="http",status="405"} 100\n'));
    const lines = await linesAtEnd(server);
    assert.ok(lines.length >= 10 && lines.length <= 10 * seconds, `${lines.length} lines in ${seconds} s`);
}));

test('diagnostics are a resource, too, and tell which schemas are in use', () => withHttp({}, async (server) => {
    await post(server.port, '/v1/invoke', JSON.stringify({
        version: '1.0.0', id: 'q', timestamp: '2026-01-01T00:00:00Z', tool: 'get_schema', payload: { name: 5 },
    }));
    const peer = await server.connect();
    await peer.ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
    const uri = 'mcpgate://diagnostics';
    const templates = await peer.ask(2, 'resources/templates/list', {});
    assert.ok(templates.result.resourceTemplates.some((template) => template.uriTemplate === uri));
    const answer = await peer.ask(3, 'resources/read', { uri });
    const told = JSON.parse(answer.result.contents[0].text);
    assert.equal(told.mismatches[0].pointer, '/payload/name');
    assert.equal(told.mismatches[0].schemaPath, '/properties/name/type');
    const schema = told.mcpSchemas.find(({ version }) => version === '2025-06-18');
    assert.equal(schema.source, 'embedded');
    assert.match(schema.sha256, /^[0-9a-f]{64}$/);
    const page = JSON.parse((await get(server.port, '/diagnostics')).text);
    assert.deepEqual(page.mismatches, told.mismatches);
    peer.socket.destroy();
}));

for (const [transport, args] of [['stdio', []], ['socket', ['--socket', 's.sock']]]) {
    test(`diagnostics do not need a log: ${transport}`, () => withServer({ args, env: { MCPGATE_LOG_DIR: 'none' } }, async (server) => {
        const uri = 'mcpgate://diagnostics';
        const socket = transport === 'socket' ? (await server.connect()) : null;
        const lines = socket ? socket.lines : server.out;
        const send = (text) => socket ? socket.socket.write(`${text}\n`) : server.send(text);
        const ask = async (...message) => { send(request(...message)); return JSON.parse(await lines.next()); };
        await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } });
        send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
        await ask(2, 'resources/subscribe', { uri });
        await ask(3, 'get_schema', { name: 5 });
        assert.deepEqual(JSON.parse(await lines.next()), { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
        const told = JSON.parse((await ask(4, 'resources/read', { uri })).result.contents[0].text);
        assert.deepEqual(told.mismatches.map(({ dialect, pointer, client }) => [dialect, pointer, client]), [['syn', '/params/name', 'tester']]);
        assert.ok(!fs.existsSync(path.join(server.dir, 'runs')));
        socket?.socket.destroy();
    }));
}
