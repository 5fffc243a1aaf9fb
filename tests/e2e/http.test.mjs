// The HTTP door as a process: clients that mean no good, are many, or stay away.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { request, sleep, soak, until, withServer } from './server.mjs';

const CASES = path.join(path.dirname(fileURLToPath(import.meta.url)), '../cases/http_smuggling.txt');

// A port nobody listens on, as of now.
const freePort = () => new Promise((resolve) => {
    const listener = net.createServer();
    listener.listen(0, '127.0.0.1', () => { const { port } = listener.address(); listener.close(() => resolve(port)); });
});

async function withHttp(options, work) {
    const port = await freePort();
    const args = ['--http', `127.0.0.1:${port}`, ...(options.args ?? [])];
    return withServer({ ...options, args }, async (server) => {
        server.port = port;
        await server.said(/mcp:ready /);
        return work(server);
    });
}

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

const fetchOnce = (port, options, body = '') => new Promise((resolve, reject) => {
    const headers = body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {};
    const asked = http.request({ host: '127.0.0.1', port, agent: false, ...options, headers: { ...headers, ...options.headers } }, (answer) => {
        let text = '';
        answer.on('data', (data) => { text += data; });
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body);
});

const post = (port, pathname, body, headers = {}, options = {}) => fetchOnce(port, { method: 'POST', path: pathname, headers, ...options }, body);

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
        return { name, statuses: words.slice(0, -1).map(Number), end: words.at(-1), bytes: unescapeBytes(rest.join(' | ')) };
    });
}

// Said as soon as the head is there.
const ABOUT_THE_HEAD = [403, 404, 405, 415];

test('requests that could be read in two ways: as the table says', () => withHttp({}, async (server) => {
    const cases = readCases();
    assert.ok(cases.length >= 60, `${cases.length} cases`);
    const wrong = [];
    await Promise.all(cases.map(async ({ name, statuses, end, bytes }) => {
        const answer = await exchange(server.port, bytes, 1000);
        const got = [...answer.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])).filter((status) => status !== 100);
        // The table speaks of reading. What is read may be refused for what it asks, and its body left unread.
        const isAsTold = ABOUT_THE_HEAD.includes(got.at(-1)) && answer.ended;
        const refusal = statuses.find((status) => status >= 400);
        if (got.length > Math.max(statuses.length, 1)) wrong.push([name, 'too many answers', got]);
        else if (refusal && !(answer.ended && got.at(-1) === refusal) && !isAsTold) wrong.push([name, `not refused with ${refusal}`, got]);
        else if (!refusal && got.length < statuses.length && !isAsTold) wrong.push([name, 'not answered', got]);
        else if (end === 'keep' && answer.ended && !isAsTold) wrong.push([name, 'not kept', got]);
    }));
    assert.deepEqual(wrong, []);
    assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
}));

// ---- who may ask ----

test('pages of other names: 403, whichever header betrays them', () => withHttp({}, async (server) => {
    const ask = (headers) => post(server.port, '/rpc', request(1, 'ping'), headers);
    for (const Host of ['evil.test', `evil.test:${server.port}`, 'localhost.evil.test', '127.0.0.1.evil.test', '169.254.169.254']) {
        assert.equal((await ask({ Host })).status, 403, Host);
    }
    for (const Origin of ['http://evil.test', 'null', 'http://localhost.evil.test', 'file://']) {
        assert.equal((await ask({ Origin })).status, 403, Origin);
    }
    assert.equal((await ask({ Host: `localhost:${server.port}`, Origin: 'http://localhost:3000' })).status, 200);
    assert.equal((await ask({ 'Content-Type': 'text/plain' })).status, 415);
}));

test('with a token: 401 without, 401 with another, 200 with it', () => withHttp({ env: { MCPGATE_TOKEN: 'open-sesame' } }, async (server) => {
    const ask = (headers) => post(server.port, '/rpc', request(1, 'ping'), headers);
    const without = await ask({});
    assert.equal(without.status, 401);
    assert.match(without.headers['www-authenticate'], /^Bearer resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource"$/);
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

test(`${SLOW} clients that dribble: a good one does not notice`, () => withHttp({}, async (server) => {
    const slow = await Promise.all(Array.from({ length: SLOW }, () => open(server.port)));
    for (const socket of slow) { socket.on('error', () => {}); socket.write('POST /rpc HTTP/1.1\r\nHost: localhost\r\n'); }
    let seen = '';
    // The machine does other things as well: the best of a few tries counts.
    for (let attempt = 0; attempt < 5; attempt++) {
        const idle = await measure(server.port, 300);
        const dribble = setInterval(() => { for (const socket of slow) socket.write('X-A: b\r\n'); }, 200);
        const times = await measure(server.port, 300);
        clearInterval(dribble);
        seen = `median ${quantile(idle, 0.5)} ms became ${quantile(times, 0.5)} ms, 99% ${quantile(times, 0.99)} ms`;
        if (quantile(times, 0.5) < 2 * quantile(idle, 0.5) && quantile(times, 0.99) < Math.max(5, 2 * quantile(idle, 0.99))) { seen = ''; break; }
    }
    for (const socket of slow) socket.destroy();
    assert.equal(seen, '');
}));

test('more connections than allowed: those above are closed, the others served', () => withHttp({}, async (server) => {
    const limit = 1024;
    const crowd = [];
    for (let i = 0; i < limit + 50; i++) {
        const socket = await open(server.port);
        socket.on('error', () => {});
        socket.on('close', () => { socket.gone = true; });
        socket.resume();
        crowd.push(socket);
    }
    await until('the last to be closed', () => crowd.filter((socket) => socket.gone).length === 50);
    const answered = new Promise((resolve) => crowd[0].once('data', (data) => resolve(data.toString())));
    crowd[0].write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.match(await answered, /^HTTP\/1\.1 200 /);
    for (const socket of crowd) socket.destroy();
    await until('a free place', async () => (await fetchOnce(server.port, { path: '/healthz' }).catch(() => ({}))).status === 200);
}));

test('clients that go away at any moment: no signal, nothing left', () => withHttp({}, async (server) => {
    const descriptors = () => fs.readdirSync(`/proc/${server.child.pid}/fd`).length;
    const before = descriptors();
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
    await until('all descriptors closed', () => descriptors() <= before);
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
// Tells after how many milliseconds the backend was hung up on; undefined: not within half a second.
async function goAwayDuringCall(prepare) {
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
            client.destroy();
            await sleep(500);
            assert.equal((await fetchOnce(server.port, { path: '/healthz' })).status, 200);
            return gaveUpAt === undefined ? undefined : gaveUpAt - leftAt;
        });
    } finally {
        backend.closeAllConnections?.();
        backend.close();
    }
}

test('a modern client that goes away: its call is given up within 100 ms', async () => {
    const after = await goAwayDuringCall(() => ({
        body: request(1, 'tools/call', { ...CALL, _meta: META }),
        headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': CALL.name },
    }));
    assert.ok(after <= 100, `${after} ms`);
});

test('a legacy client that goes away: its call goes on', async () => {
    const after = await goAwayDuringCall(async (server) => ({
        body: request(2, 'tools/call', CALL),
        headers: { 'Mcp-Session-Id': (await post(server.port, '/mcp', INITIALIZE)).headers['mcp-session-id'] },
    }));
    assert.equal(after, undefined);
});

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
        assert.match(second.err.text, /another server listens there/);
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

test('a Unix socket and HTTP together', () => withHttp({ args: ['--socket', 's.sock'] }, async (server) => {
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
