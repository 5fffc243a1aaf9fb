// A legacy client over HTTP gives up a call: the word comes in on another connection, perhaps on another thread.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { post, withHttp } from './http_client.mjs';
import { request, sleep, until } from './server.mjs';

const tool = (name, command) => ({ name, version: '1', description: name, command, inputSchema: { type: 'object' } });
const FILES = {
    'tools/sleeper.tool.json': tool('sleeper', ['/bin/sleep', '600']),
    'tools/brief.tool.json': tool('brief', ['/bin/sleep', '0.02']),
};
const BOTH = 'application/json, text/event-stream';

const initialize = (version) => request(1, 'initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } });
const begin = async (server, version = '2025-11-25') => (await post(server.port, '/mcp', initialize(version), { Accept: BOTH })).headers['mcp-session-id'];
const call = (server, session, id, name, accept = BOTH) => post(server.port, '/mcp', request(id, 'tools/call', { name }), { 'Mcp-Session-Id': session, Accept: accept });
const cancelled = (id) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'changed my mind' } });
const cancel = async (server, session, id) => {
    const answer = await post(server.port, '/mcp', JSON.stringify(cancelled(id)), { 'Mcp-Session-Id': session, Accept: BOTH });
    assert.equal(answer.status, 202);
    assert.equal(answer.text, '');
};
const children = (server) => fs.readdirSync(`/proc/${server.child.pid}/task`)
    .flatMap((task) => fs.readFileSync(`/proc/${server.child.pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean));
// A word that overtakes its call finds nothing to give up; connections know no order. So it is said until it is heard.
const giveUp = (server, session, id, left = 0) => until(`${left} programs`, async () => {
    await cancel(server, session, id);
    return children(server).length === left;
});
const running = (server, count) => until(`${count} programs`, () => children(server).length === count);

// Whether something is over within a while in which it would be, if it ever were.
const isOver = (promise) => Promise.race([promise.then(() => true), sleep(200).then(() => false)]);

for (const threads of ['1', '4']) {
    const served = (work) => withHttp({ files: FILES, args: ['--tools-dir', 'tools'], env: { MCPGATE_THREADS: threads } }, work);

    test(`a call is given up on another connection: its program is killed (threads: ${threads})`, () => served(async (server) => {
        const session = await begin(server);
        for (const id of [7, 'seven', 1.5e3, '']) {
            const answer = call(server, session, id, 'sleeper');
            await running(server, 1);
            const since = Date.now();
            await giveUp(server, session, id);
            assert.ok(Date.now() - since < 10000, `${Date.now() - since} ms`);
            // No answer: a stream that ends without its last event.
            const { status, headers, text } = await answer;
            assert.deepEqual([status, headers['content-type'], text], [200, 'text/event-stream', '']);
        }
        assert.equal((await call(server, session, 9, 'brief')).status, 200);
    }));

    test(`a client that takes no streams gets a response without content (threads: ${threads})`, () => served(async (server) => {
        const session = await begin(server);
        const answer = call(server, session, 7, 'sleeper', 'application/json');
        await running(server, 1);
        await giveUp(server, session, 7);
        const { status, text } = await answer;
        assert.deepEqual([status, text], [202, '']);
    }));

    test(`the connection of a call that was given up takes the next request (threads: ${threads})`, () => served(async (server) => {
        const session = await begin(server);
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        const ask = (body) => post(server.port, '/mcp', body, { 'Mcp-Session-Id': session, Accept: BOTH }, { agent });
        const given = ask(request(7, 'tools/call', { name: 'sleeper' }));
        await running(server, 1);
        const next = ask(request(8, 'ping'));
        await giveUp(server, session, 7);
        assert.equal((await given).text, '');
        assert.equal(JSON.parse((await next).text).id, 8);
        agent.destroy();
    }));

    test(`only the session's own calls, and only the one that is meant (threads: ${threads})`, () => served(async (server) => {
        const [session, other] = [await begin(server), await begin(server)];
        const answer = call(server, session, 7, 'sleeper');
        await running(server, 1);
        await cancel(server, other, 7);
        await cancel(server, session, '7');
        await cancel(server, session, 8);
        assert.equal(await isOver(answer), false);
        assert.equal(children(server).length, 1);
        const unknown = await post(server.port, '/mcp', JSON.stringify(cancelled(7)), { 'Mcp-Session-Id': '0'.repeat(32), Accept: BOTH });
        assert.equal(unknown.status, 404);
        // Written differently it is the same number.
        await until('the end', () => post(server.port, '/mcp', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":70e-1}}', { 'Mcp-Session-Id': session, Accept: BOTH }).then(() => children(server).length === 0));
        assert.equal((await answer).text, '');
    }));

    test(`one of a batch is given up: the others are answered (threads: ${threads})`, () => served(async (server) => {
        const session = await begin(server, '2025-03-26');
        const messages = [request(1, 'tools/call', { name: 'sleeper' }), request(2, 'ping'), request(3, 'tools/call', { name: 'sleeper' })];
        const answer = post(server.port, '/mcp', `[${messages}]`, { 'Mcp-Session-Id': session, Accept: BOTH });
        await running(server, 2);
        await giveUp(server, session, 1, 1);
        await until('the end of the last', async () => {
            const answer = await post(server.port, '/mcp', JSON.stringify([cancelled(9), cancelled(3)]), { 'Mcp-Session-Id': session, Accept: BOTH });
            assert.equal(answer.status, 202);
            return children(server).length === 0;
        });
        assert.deepEqual(JSON.parse((await answer).text), [{ jsonrpc: '2.0', id: 2, result: {} }]);
    }));

    test(`calls that end while they are given up: one answer or none (threads: ${threads})`, () => served(async (server) => {
        const session = await begin(server);
        let answered = 0;
        const ROUNDS = 60;
        await Promise.all(Array.from({ length: 4 }, async (_, lane) => {
            for (let i = 0; i < ROUNDS; i++) {
                const id = `${lane}/${i}`;
                const answer = call(server, session, id, 'brief');
                await sleep(10 + Math.random() * 30);
                await Promise.all([cancel(server, session, id), cancel(server, session, id)]);
                const { status, text } = await answer;
                assert.equal(status, 200);
                if (text !== '') { assert.equal(JSON.parse(text).id, id); answered++; }
                await cancel(server, session, id);
            }
        }));
        await running(server, 0);
        assert.equal(server.status, undefined);
        assert.ok(answered <= 4 * ROUNDS);
        server.kill('SIGTERM');
        assert.equal(await server.exited, 0);
    }));
}

// What a client sends behind its call is read ahead only so far. That it leaves is noticed all the same.
test('a client that has sent more than is read ahead, and leaves: its program is killed', () => withHttp({ files: FILES, args: ['--tools-dir', 'tools'] }, async (server) => {
    const body = request(1, 'sleeper');
    const client = net.connect(server.port, '127.0.0.1');
    client.write(`POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await running(server, 1);
    client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(6000));
    await sleep(300);
    client.destroy();
    await running(server, 0);
}));

for (const kind of ['client', 'half-closed client']) {
    test(`a ${kind} of the socket leaves: its program is killed`, () => withHttp({ files: FILES, args: ['--tools-dir', 'tools'] }, async (server) => {
        const peer = await server.connect();
        peer.socket.allowHalfOpen = true;
        peer.socket.write(`${request(1, 'sleeper')}\n`.repeat(80)); // more than may be in flight
        await until('a program', () => children(server).length > 0);
        if (kind === 'half-closed client') { peer.socket.end(); await sleep(100); assert.ok(children(server).length > 0, 'a half-closed client waits for its answers'); }
        peer.socket.destroy();
        await running(server, 0);
    }));
}
