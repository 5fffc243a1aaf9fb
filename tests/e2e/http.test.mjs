// The server over HTTP: hostile clients, many clients, silent clients.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fetchOnce, freePort, post, withHttp } from './http_client.mjs';
import { cpuSeconds, descriptors, request, sleep, soak, until, withServer } from './server.mjs';
import { SlowClients } from './slow_clients.mjs';

const CASES = path.join(path.dirname(fileURLToPath(import.meta.url)), '../cases/http_smuggling.txt');

const open = (port) => new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
});

// All that comes in answer to some bytes, until the end or until it is quiet.
async function exchange(port, bytes, quietMs = 150) {
    const socket = await open(port);
    const answer = { text: '', ended: false };
    let last = Date.now();
    socket.on('data', (data) => { answer.text += data.toString('latin1'); last = Date.now(); });
    socket.on('end', () => { answer.ended = true; });
    socket.on('error', (error) => { answer.error = error.code; });
    socket.on('close', () => { answer.ended = true; });
    socket.write(bytes);
    await until('an answer', () => answer.ended || Date.now() - last > quietMs);
    socket.destroy();
    return answer;
}

// ---- the table of requests that hide another ----

function unescapeBytes(text) {
    const REPEATED = /\\\*(\d+)\{([^{}]*)\}/;
    while (REPEATED.test(text)) text = text.replace(REPEATED, (_, times, part) => part.repeat(Number(times)));
    const plain = text.replace(/\\(x[0-9a-fA-F]{2}|.)/g, (_, code) => (
        { r: '\r', n: '\n', t: '\t', '\\': '\\' }[code] ?? String.fromCharCode(parseInt(code.slice(1), 16))
    ));
    return Buffer.from(plain, 'latin1');
}

function readCases() {
    return fs.readFileSync(CASES, 'utf8').split('\n').filter((line) => line.trim() && !line.startsWith('#')).map((line) => {
        const [name, outcome, ...rest] = line.split(' | ');
        const words = (outcome ?? '').replace(/\|$/, '').trim().split(' ');
        // 200/405: can be read, is answered with 405.
        const statuses = words.slice(0, -1).map((word) => Number(word.split('/').at(-1)));
        const isRefused = /^\d+$/.test(words.at(-2)) && Number(words.at(-2)) >= 400;
        return { name, statuses, isRefused, end: words.at(-1), bytes: unescapeBytes(rest.join(' | ')) };
    });
}

// Each request is good except for the detail under test, so its status and end are exact. A refused client gets an error that
// says the connection closes; the rest of its bytes is not answered.
function faultOf({ statuses, isRefused, end }, answer) {
    const answers = answer.text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((text) => text && !text.startsWith('HTTP/1.1 100 '));
    const got = answers.map((text) => Number(text.slice(9, 12)));
    const last = answers.at(-1) ?? '';
    if (got.join() !== statuses.join()) return `answered with ${got}`;
    if (answer.ended !== (end === 'close')) return answer.ended ? 'closed' : 'not closed';
    if (end === 'close' && !/\r\nConnection: close\r\n/.test(last)) return 'does not say that it closes';
    const told = statuses.at(-1) === 413 ? '"msg":"payload_too_large"' : `{"error":{"code":${statuses.at(-1)},"message":"`;
    return isRefused && !last.includes(told) ? `not refused by the HTTP reader: ${last}` : undefined;
}

test('requests that could be read in two ways: as the table says', () => withHttp({}, async (server) => {
    const cases = readCases();
    assert.ok(cases.length >= 190, `${cases.length} cases`);
    const wrong = [];
    await Promise.all(cases.map(async (one) => {
        const fault = faultOf(one, await exchange(server.port, one.bytes, 1000));
        if (fault) wrong.push([one.name, fault]);
    }));
    assert.deepEqual(wrong, []);
    assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
}));

// ---- access ----

const POSTED = { '/rpc': request(1, 'ping'), '/mcp': request(1, 'ping'), '/mcp/tool/list_schemas': '{}', '/v1/invoke': '{}' };
const SHOWN = ['/', '/metrics', '/diagnostics', '/openapi.json', '/v1/tools', '/mcp/discover', '/schemas/request.schema.json'];
const FOREIGN = [
    ...['evil.test', 'evil.test:80', 'localhost.evil.test', '127.0.0.1.evil.test', '169.254.169.254', '0.0.0.0', '[::]', 'localhost.', '2130706433', '0x7f.1'].map((Host) => ({ Host })),
    ...['http://evil.test', 'null', 'http://localhost.evil.test', 'file://', 'https://127.0.0.1.evil.test:8787', 'http://localhost@evil.test', ''].map((Origin) => ({ Origin })),
    { Host: 'localhost', Origin: 'http://evil.test' },
    { Host: 'evil.test', Origin: 'http://localhost' },
];

test('pages of other names: 403 on every path, whether Host or Origin shows it', () => withHttp({}, async (server) => {
    for (const headers of FOREIGN) {
        for (const [route, body] of Object.entries(POSTED)) {
            assert.equal((await post(server.port, route, body, headers)).status, 403, `${route} ${JSON.stringify(headers)}`);
        }
        for (const route of SHOWN) assert.equal((await fetchOnce(server.port, { path: route, headers })).status, 403, `${route} ${JSON.stringify(headers)}`);
        for (const method of ['DELETE', 'GET', 'OPTIONS']) assert.equal((await fetchOnce(server.port, { method, path: '/mcp', headers })).status, 403, method);
    }
    for (const Host of [`localhost:${server.port}`, '127.0.0.1', '[::1]:1', 'LOCALHOST']) {
        assert.equal((await post(server.port, '/rpc', request(1, 'ping'), { Host, Origin: 'http://localhost:3000' })).status, 200, Host);
    }
    // A health check need not know the server's name.
    for (const route of ['/healthz', '/readyz']) assert.equal((await fetchOnce(server.port, { path: route, headers: { Host: 'pod.test' } })).status, 200);
}));

test('what a page may send unasked: 415, and no leave to send more', () => withHttp({}, async (server) => {
    for (const [route, body] of Object.entries(POSTED)) {
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', '', 'text/plain; application/json']) {
            assert.equal((await post(server.port, route, body, { 'Content-Type': type })).status, 415, `${route} ${type}`);
        }
        const asked = await fetchOnce(server.port, { method: 'OPTIONS', path: route, headers: { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' } });
        assert.equal(asked.status, 405, route);
        assert.deepEqual(Object.keys(asked.headers).filter((name) => name.startsWith('access-control')), []);
    }
}));

test('with a token: 401 without, 401 with another, 200 with it', () => withHttp({ env: { MCPGATE_TOKEN: 'open-sesame' } }, async (server) => {
    const ask = (headers) => post(server.port, '/rpc', request(1, 'ping'), headers);
    const without = await ask({});
    assert.equal(without.status, 401);
    assert.equal(without.headers['www-authenticate'], 'Bearer realm="mcpgate"', 'no pointer to metadata that is not there');
    assert.match((await ask({ Authorization: 'Bearer guess' })).headers['www-authenticate'], /error="invalid_token"/);
    assert.equal((await ask({ Authorization: 'Bearer open-sesame' })).status, 200);
    assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
}));

// ---- a body that is refused ----

test('a body of 8 MiB: the client that sends it all can read why not', () => withHttp({}, async (server) => {
    const answer = await exchange(server.port, Buffer.concat([
        Buffer.from('POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 8388608\r\n\r\n'),
        Buffer.alloc(8388608, ' '),
    ]), 1000);
    assert.match(answer.text, /^HTTP\/1\.1 413 /);
    assert.match(answer.text, /payload_too_large/);
    assert.equal(answer.error, undefined);
}));

// ---- slow ones, many, gone ones ----

const quantile = (times, part) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)];

async function measure(port, count) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const times = [];
    for (let i = 0; i < count; i++) {
        const start = process.hrtime.bigint();
        assert.equal((await post(port, '/rpc', request(i, 'ping'), {}, { agent })).status, 200);
        times.push(Number(process.hrtime.bigint() - start) / 1e6);
    }
    agent.destroy();
    return times;
}

const SLOW = soak ? 500 : 100;
const GREEDY = SLOW / 10;
const P99_MAX_MS = 5;

// What greedy clients have asked for is worked on until they have not read enough of it.
const settled = async (server) => { const before = cpuSeconds(server); await sleep(100); return cpuSeconds(server) - before < 0.03; };

// A good client's times among slow ones, and alone in the same second.
async function measureAmongSlow(server) {
    const { port } = server;
    const alone = await measure(port, 500);
    const slow = new SlowClients(port, SLOW, GREEDY);
    try {
        await until('all slow clients', async () => await slow.open() === SLOW + GREEDY);
        await until('an end of their requests', () => settled(server));
        const among = await measure(port, soak ? 5000 : 1000);
        assert.ok(await slow.open() >= 0.9 * (SLOW + GREEDY), 'they are still there');
        return { alone, among };
    } finally {
        await slow.end();
    }
}

// A machine on which a client that is alone waits as long cannot tell.
const isUnnoticed = ({ alone, among }) => quantile(among, 0.5) < 2 * quantile(alone, 0.5)
    && quantile(among, 0.99) < Math.max(P99_MAX_MS, soak ? 0 : 2 * quantile(alone, 0.99));

test(`${SLOW} clients that dribble, ${GREEDY} that do not read: a good one does not notice`, () => withHttp({}, async (server) => {
    const seen = [];
    // The machine does other things as well: the best of a few tries counts.
    for (let attempt = 0; attempt < 5; attempt++) {
        const times = await measureAmongSlow(server);
        const [alone, among, worst] = [quantile(times.alone, 0.5), quantile(times.among, 0.5), quantile(times.among, 0.99)];
        seen.push(`median ${alone.toFixed(3)} ms became ${among.toFixed(3)} ms, 99% ${worst.toFixed(3)} ms`);
        if (isUnnoticed(times)) return console.log(`soak: ${SLOW} slow clients: ${seen.at(-1)}`);
    }
    assert.fail(seen.join('; '));
}));

// A recursive choice, as languages of rules and filters have it: a small document takes long.
const RULE = (() => {
    const t = { $ref: '#/$defs/t' };
    const branch = (name) => ({ type: 'object', properties: { x: t, [name]: { type: 'string' } }, required: [name] });
    return { ...t, $defs: { t: { anyOf: [branch('y'), branch('z'), { type: 'array', items: t }, { type: 'number' }] } } };
})();

test('messages that take long, all in one write: others have their turn between them', () => withHttp({
    files: { 'schemas/rule.schema.json': RULE }, env: { SYN_SCHEMAS_DIR: 'schemas', MCPGATE_THREADS: '1' },
}, async (server) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"validate_asset","params":{"schema":"rule","asset":${'{"x":'.repeat(200)}1${'}'.repeat(200)}}}`;
    const heavy = `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const count = 40;
    await post(server.port, '/rpc', body); // compiles the schema
    const socket = await open(server.port);
    let answers = 0;
    socket.on('data', (data) => { answers += data.toString().split('HTTP/1.1 200').length - 1; });
    const began = Date.now();
    socket.write(heavy.repeat(count));
    const times = [];
    while (answers < count) times.push(...await measure(server.port, 1));
    const all = Date.now() - began;
    socket.destroy();
    assert.ok(Math.max(...times) < Math.max(20, all / 3), `${Math.max(...times)} ms of ${all} ms`);
}));

const CONNECTIONS_MAX = 1024;
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

// Connections that each send some bytes and never read.
async function crowdOf(port, count, bytes = '') {
    const crowd = [];
    for (let i = 0; i < count; i++) {
        const socket = await open(port);
        socket.on('error', () => {});
        socket.on('close', () => { socket.gone = true; });
        socket.resume();
        if (bytes) socket.write(bytes);
        crowd.push(socket);
    }
    return crowd;
}

for (const [what, bytes] of [['say nothing', ''], ['have begun a request', 'GET /healthz HT']]) {
    test(`more connections than allowed that ${what}: those idle for longest are closed, others are served`, () => withHttp({}, async (server) => {
        const crowd = await crowdOf(server.port, CONNECTIONS_MAX + 50, bytes);
        await until('the first to be closed', () => crowd.filter((socket) => socket.gone).length === 50);
        // Each of two loops closes its own oldest.
        assert.ok(crowd.slice(2 * 50 + 10).every((socket) => !socket.gone));
        const last = crowd.at(-1);
        const answered = new Promise((resolve) => last.once('data', (data) => resolve(data.toString())));
        last.write(HEALTH.slice(bytes.length));
        assert.match(await answered, /^HTTP\/1\.1 200 /);
        assert.deepEqual((await (await server.connect()).ask(1, 'list_schemas')).result.schemas, []);
        for (const socket of crowd) socket.destroy();
    }));
}

test('few descriptors: idle connections are closed before descriptors run out', () => withHttp({ limit: 256 }, async (server) => {
    const crowd = await crowdOf(server.port, 200);
    await until('the first to be closed', () => crowd.filter((socket) => socket.gone).length === 200 - 112);
    assert.equal((await post(server.port, '/rpc', request(1, 'list_schemas'))).status, 200);
    for (const socket of crowd) socket.destroy();
}));

// One that only listens is never idle. Listeners go after idle connections, the oldest first, and their streams are ended as by the server.
test('more connections than allowed that all listen: a new client gets in, the oldest listener is told and closed', () => withHttp({ env: { MCPGATE_THREADS: '1' } }, async (server) => {
    const notifications = { toolsListChanged: true };
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const body = request(1, 'subscriptions/listen', { notifications, _meta });
    const listen = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n'
        + `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const first = await open(server.port);
    let heard = '';
    first.on('error', () => {}).on('data', (data) => { heard += data; });
    first.write(listen);
    await until('the first to listen', () => heard.includes('acknowledged'));
    const crowd = await crowdOf(server.port, CONNECTIONS_MAX - 1, listen);
    await until('all to listen', () => crowd.every((socket) => socket.bytesRead > 0));
    assert.equal((await post(server.port, '/rpc', request(1, 'list_schemas'))).status, 200);
    await until('the end of the oldest listener', () => first.destroyed || first.readableEnded);
    assert.match(heard, /"id":1,"result":.*\r\n0\r\n\r\n$/s, 'it got its result and the end of the stream');
    assert.ok(crowd.every((socket) => !socket.gone), 'the other listeners stayed');
    const silent = await crowdOf(server.port, 30); // these take listeners' places, then each other's
    assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
    assert.ok(crowd.filter((socket) => socket.gone).length <= 31);
    for (const socket of [...crowd, ...silent]) socket.destroy();
}));

const message = (path, accept, body, more = '') => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    + `Accept: ${accept}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

test('a document is not sent as a stream because the request before it accepted only streams', () => withHttp({}, async (server) => {
    const initialize = request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } });
    const { text } = await exchange(server.port, `${message('/mcp', 'text/event-stream', initialize)}GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    assert.deepEqual(text.match(/^Content-Type: .*(?=\r)/gm), ['Content-Type: text/event-stream', 'Content-Type: application/json']);
}));

test('a User-Agent that is not UTF-8 does not reach the diagnostics', () => withHttp({}, async (server) => {
    const wrong = message('/rpc', '*/*', request(1, 'validate_asset'), 'User-Agent: \xff\xfe\r\n');
    await exchange(server.port, Buffer.from(wrong, 'latin1'));
    const { text } = await exchange(server.port, 'GET /diagnostics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.match(text, /"mismatches":\[\{/);
    assert.doesNotMatch(text, /[\x80-\xff]/);
}));

test('clients that go away at any moment: no signal, nothing left', () => withHttp({}, async (server) => {
    const before = descriptors(server.child.pid);
    const body = request(1, 'tools/list');
    const text = `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(3);
    for (let i = 0; i < (soak ? 20000 : 400); i++) {
        const socket = await open(server.port);
        socket.on('error', () => {});
        socket.write(text.slice(0, (i * 53) % text.length));
        if (i % 3 === 0) await sleep(0);
        if (i % 2 === 0) socket.resetAndDestroy(); else socket.destroy();
    }
    assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
    await until('all descriptors closed', () => descriptors(server.child.pid) <= before);
    assert.equal(server.status, undefined);
}));

// ---- sessions ----

const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });

test('DELETE ends a session and its stream, also on another thread', () => withHttp({ env: { MCPGATE_THREADS: '4' } }, async (server) => {
    for (let i = 0; i < 8; i++) {
        const session = (await post(server.port, '/mcp', INITIALIZE)).headers['mcp-session-id'];
        assert.match(session, /^[\x21-\x7e]{32,}$/);
        const headers = { 'Mcp-Session-Id': session, Accept: 'text/event-stream' };
        let over = false;
        await new Promise((resolve, reject) => {
            const asked = http.get({ host: '127.0.0.1', port: server.port, path: '/mcp', headers, agent: false }, (answer) => {
                assert.equal(answer.statusCode, 200);
                answer.resume();
                answer.on('end', () => { over = true; });
                resolve();
            });
            asked.on('error', reject);
        });
        assert.equal((await fetchOnce(server.port, { method: 'DELETE', path: '/mcp', headers })).status, 204);
        await until('the end of the stream', () => over);
        assert.equal((await post(server.port, '/mcp', request(2, 'ping'), { 'Mcp-Session-Id': session })).status, 404);
    }
}));

// ---- a client that goes away while its call runs ----

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };
const CALL = { name: 'populate_backend', arguments: { asset: {}, validate_first: false } };

// Send a request and go away once it has reached a backend that never answers.
// Milliseconds until the backend's connection was closed; undefined: not within half a second.
async function goAwayDuringCall(prepare, leave) {
    let reached = false;
    let leftAt;
    let gaveUpAt;
    const backend = http.createServer((asked) => {
        reached = true;
        asked.resume();
        asked.socket.on('close', () => { gaveUpAt = Date.now(); });
    });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    try {
        return await withHttp({ env: { SYN_BACKEND_URL: `http://127.0.0.1:${backend.address().port}` } }, async (server) => {
            const { body, headers } = await prepare(server);
            const client = await open(server.port);
            client.on('error', () => {});
            const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
            client.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`);
            let answer = '';
            client.on('data', (data) => { answer += data; });
            await until('a request at the backend', () => { assert.equal(answer, ''); return reached; });
            leftAt = Date.now();
            leave(client);
            await sleep(500);
            client.destroy();
            assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
            return gaveUpAt === undefined ? undefined : gaveUpAt - leftAt;
        });
    } finally {
        backend.closeAllConnections?.();
        backend.close();
    }
}

const WAYS = { 'goes away': (client) => client.destroy(), 'is reset': (client) => client.resetAndDestroy(), 'closes its direction': (client) => client.end() };

for (const [way, leave] of Object.entries(WAYS)) {
    test(`a modern client that ${way}: its call is given up within 100 ms`, async () => {
        const after = await goAwayDuringCall(() => ({
            body: request(1, 'tools/call', { ...CALL, _meta: META }),
            headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': CALL.name },
        }), leave);
        assert.ok(after <= 100, `${after} ms`);
    });

    test(`a legacy client that ${way}: its call goes on`, async () => {
        const after = await goAwayDuringCall(async (server) => ({
            body: request(2, 'tools/call', CALL),
            headers: { 'Mcp-Session-Id': (await post(server.port, '/mcp', INITIALIZE)).headers['mcp-session-id'] },
        }), leave);
        assert.equal(after, undefined);
    });
}

// ---- as a process ----

test('on the same address again, at once', async () => {
    const port = await freePort();
    for (let i = 0; i < 3; i++) {
        await withServer({ args: ['--http', `127.0.0.1:${port}`] }, async (server) => {
            await server.said(/mcp:ready mode=http/);
            const client = await open(port);
            client.on('error', () => {});
            client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
            await new Promise((resolve) => client.once('data', resolve));
            server.kill('SIGTERM');
            assert.equal(await server.exited, 0);
            client.destroy();
        });
    }
});

test('a second server on the same address: exit 2, the first is not disturbed', () => withHttp({}, async (first) => {
    await withServer({ args: ['--http', `127.0.0.1:${first.port}`] }, async (second) => {
        assert.equal(await second.exited, 2);
        assert.match(second.err.text, /is in use/);
    });
    assert.equal((await fetchOnce(first.port, { path: '/healthz' })).status, 200);
}));

test('an address others can reach needs a token, or --insecure', async () => {
    const port = await freePort();
    const address = `0.0.0.0:${port}`;
    await withServer({ args: ['--http', address] }, async (server) => {
        assert.equal(await server.exited, 2);
        assert.match(server.err.text, /MCPGATE_TOKEN/);
    });
    for (const options of [{ args: ['--http', address, '--insecure'] }, { args: ['--http', address], env: { MCPGATE_TOKEN: 'secret' } }]) {
        await withServer(options, async (server) => {
            await until('an answer', async () => server.gone() || (await fetchOnce(port, { path: '/healthz' }).catch(() => ({}))).status === 200);
        });
    }
});

test('a Unix socket and HTTP together', () => withHttp({}, async (server) => {
    const peer = await server.connect();
    assert.equal((await peer.ask(1, 'ping')).id, 1);
    assert.equal(JSON.parse((await post(server.port, '/rpc', request(2, 'ping'))).text).id, 2);
}));

test('asked to stop: what has been asked is answered, then the end', () => withHttp({}, async (server) => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(server.port)));
    const answers = sockets.map((socket) => new Promise((resolve) => {
        let text = '';
        socket.on('data', (data) => { text += data; });
        socket.on('error', () => {});
        socket.on('close', () => resolve(text));
    }));
    const body = request(1, 'ping');
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await sleep(100);
    for (const socket of sockets) socket.write(`POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    server.kill('SIGTERM');
    for (const text of await Promise.all(answers)) assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 2, text);
    assert.equal(await server.exited, 0);
}));
