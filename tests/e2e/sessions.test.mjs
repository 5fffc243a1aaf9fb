// One client that begins sessions without end: those of others go on, new ones are refused for a while.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { post, withHttp } from './http_client.mjs';
import { request, until } from './server.mjs';

const SESSIONS_MAX = 4096;
const ACCEPT = 'application/json, text/event-stream';
const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });

// Many requests on one connection, a few under way at a time. Resolves to the number of answers with each status.
async function flood(port, count) {
    const socket = net.connect(port, '127.0.0.1');
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: ${ACCEPT}\r\nContent-Type: application/json\r\nContent-Length: ${INITIALIZE.length}\r\n\r\n`;
    const statuses = {};
    let answers = 0;
    let rest = '';
    socket.on('data', (data) => {
        const parts = (rest + data).split('HTTP/1.1 ');
        rest = `HTTP/1.1 ${parts.pop()}`;
        for (const part of parts.filter((text) => text)) { statuses[part.slice(0, 3)] = (statuses[part.slice(0, 3)] ?? 0) + 1; answers++; }
    });
    for (let sent = 0; sent < count; sent += 64) {
        socket.write((head + INITIALIZE).repeat(64));
        await until('answers', () => answers >= sent);
    }
    await until('the last answer', () => answers === count - 1 && /\{.*\}$/s.test(rest)); // it is in the rest
    const last = rest.slice(9, 12);
    statuses[last] = (statuses[last] ?? 0) + 1;
    socket.destroy();
    return statuses;
}

test('sessions in use survive a flood of new ones, which is told to wait', () => withHttp({}, async (server) => {
    const begun = await post(server.port, '/mcp', INITIALIZE, { Accept: ACCEPT });
    const session = begun.headers['mcp-session-id'];
    const ping = () => post(server.port, '/mcp', request(2, 'ping'), { Accept: ACCEPT, 'Mcp-Session-Id': session });
    assert.equal((await ping()).status, 200);
    assert.deepEqual(await flood(server.port, SESSIONS_MAX + 64), { 200: SESSIONS_MAX - 1, 503: 65 });
    assert.equal((await ping()).status, 200);

    const refused = await post(server.port, '/mcp', INITIALIZE, { Accept: ACCEPT });
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['mcp-session-id'], undefined);
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds > 0 && seconds <= 60, `Retry-After: ${seconds}`);
    const { id, error } = JSON.parse(refused.text);
    assert.deepEqual([id, error.code], [1, -32003]);
    assert.match(error.data.details, /as many sessions as it may have/);

    const ended = await post(server.port, '/mcp', '', { 'Mcp-Session-Id': session }, { method: 'DELETE' });
    assert.equal(ended.status, 204);
    assert.equal((await post(server.port, '/mcp', INITIALIZE, { Accept: ACCEPT })).status, 200);
}));
