// Everything at once for a long time: all dialects on all transports, good and bad messages, programs, a backend that
// fails now and then, sessions, clients that leave, reloads, log files that fill up. All of it is answered as it should
// be, and in the end the server is as large as it was after warming up. An hour with SOAK=1, seconds without;
// SOAK_SECONDS and SOAK_RATE (messages a second, all transports together) say otherwise.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { freePort, get, post } from './http_client.mjs';
import { descriptors, request, Server, sleep, soak, until } from './server.mjs';

const SECONDS = Number(process.env.SOAK_SECONDS ?? (soak ? 3600 : 15));
const RATE = Number(process.env.SOAK_RATE ?? 150);
const MIB = 1024 * 1024;

// Growth after the warm-up, which is a sixth of the time: what a heap may still shift about.
const RSS_GROWTH_MAX = (soak ? 2 : 8) * MIB;
const RELOAD_MS = 10000;
const SAMPLE_MS = Math.max(500, SECONDS * 1000 / 600);
const LOG_FILE_SIZE = MIB;

const WIDGET = { type: 'object', properties: { sku: { type: 'string' }, n: { type: 'integer' } }, required: ['sku'] };
const tool = (name, command, more = {}) => ({ name, version: '1', description: name, command, inputSchema: { type: 'object' }, ...more });
const FILES = {
    'schemas/widget.schema.json': WIDGET,
    'examples/Widget_One.json': { schema: 'widget', sku: 'a' },
    'tools/echo.tool.json': tool('echo', ['/bin/cat']),
    'tools/crash.tool.json': tool('crash', ['/bin/sh', '-c', 'echo half; exit 7']),
    'tools/late.tool.json': tool('late', ['/bin/sleep', '30'], { timeout_ms: 100 }),
    'tools/flood.tool.json': tool('flood', ['/usr/bin/yes'], { max_output_bytes: 65536 }),
};

// ---- what is asked, and what is a good answer ----

const uuid = (n) => `3fd7d2b1-79d1-4b8e-92c8-${String(n).padStart(12, '0')}`;
const call = (n, name, args = {}) => request(n, 'tools/call', { name, arguments: args });
const failsWith = (pattern) => (answer) => answer.result.isError && pattern.test(answer.result.content[0].text);

// [how often, of a thousand; the message; whether an answer will do]
const kinds = [
    [150, (n) => request(n, 'validate_asset', { schema: 'widget', asset: { sku: 'x', n } }), (a) => a.result.ok],
    [100, (n) => request(n, 'validate_asset', { schema: 'widget', asset: { n: 'x'.repeat(n % 2000) } }), (a) => a.result.ok === false && a.result.errors.length > 0],
    [60, (n) => request(n, 'diff_assets', { base: { n }, new: { n: n + 1 } }), (a, n) => a.result.patch[0].value === n + 1],
    [60, (n) => request(n, 'list_examples'), (a) => a.result.examples.length === 1],
    [50, (n) => request(n, `nothing_${n % 5000}`), (a) => a.result.reason === 'unsupported'],
    [80, (n) => request(uuid(n), 'mcp.tool.invoke', { toolId: 'mcp.tool:list_schemas', arguments: {} }), (a) => a.result.tool === 'mcp.tool:list_schemas'],
    [30, (n) => request(uuid(n), 'mcp.tool.invoke', { toolId: `mcp.tool:no${n}`, arguments: {} }), (a) => a.error.code === -32001],
    [60, (n) => request(n, 'tools/list', { _meta: { traceparent: `00-${String(n).padStart(32, '0')}-00f067aa0ba902b7-01` } }), (a) => a.result.tools.length > 4],
    [40, (n) => call(n, 'echo', { n }), (a, n) => a.result.structuredContent.n === n],
    [15, (n) => call(n, 'crash'), failsWith(/exit code 7/)],
    [5, (n) => call(n, 'late'), failsWith(/longer than 100 ms/)],
    [5, (n) => call(n, 'flood'), failsWith(/larger than/)],
    [40, (n) => request(n, 'populate_backend', { asset: { schema: 'widget', sku: `${n}` } }), (a) => a.result.ok || a.result.reason === 'backend_error'],
    [80, (n) => JSON.stringify({
        schema_version: 'mcp.request.v0.1', tool: { name: 'list_schemas' }, artifacts: [],
        params: { n, _meta: { capture_provenance: true, capture_artifacts: true } },
    }), (a) => a.schema_version === 'mcp.envelope.v0.1'],
    [80, (n) => JSON.stringify({ id: uuid(n), version: '1.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {} }), (a, n) => a.id === uuid(n) && a.status.code === 'success'],
    [30, (n) => JSON.stringify({ id: uuid(n), version: '7.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {} }), (a) => a.status.code === 'error'],
    [60, (n) => `{"jsonrpc":"2.0","id":${n},`, (a) => a.error.code === -32700],
    [30, (n) => '['.repeat(600 + n % 100), (a) => a.error.code === -32700],
    [20, (n) => JSON.stringify({ jsonrpc: '2.0', id: n }), (a) => a.error.code === -32600],
    [5, () => 'x'.repeat(MIB + 1), (a) => /payload_too_large/.test(JSON.stringify(a))],
];
const WEIGHTS = kinds.reduce((sum, [weight]) => sum + weight, 0);

function choose() {
    let at = Math.random() * WEIGHTS;
    return kinds.find(([weight]) => (at -= weight) < 0) ?? kinds[0];
}

// ---- the transports ----

let asked = 0;

async function askOne(ask) {
    const n = ++asked;
    const [, make, isGood] = choose();
    const text = make(n);
    const answer = await ask(text);
    assert.ok(isGood(JSON.parse(answer), n), `${text.slice(0, 300)} was answered with ${answer.slice(0, 300)}`);
}

const stdio = (server) => async () => {
    await askOne(async (text) => { server.send(text); return server.out.next(); });
};

// A peer that leaves now and then, sometimes while it is owed an answer.
function socket(server) {
    let peer;
    return async () => {
        peer ??= await server.connect();
        await askOne(async (text) => { peer.socket.write(`${text}\n`); return peer.lines.next(); });
        if (asked % 97 !== 0) return;
        if (asked % 2) peer.socket.write(`${call(1, 'late')}\n`);
        peer.socket.destroy();
        peer = undefined;
    };
}

const ROUTES = ['/healthz', '/readyz', '/metrics', '/diagnostics', '/openapi.json', '/v1/tools', '/schemas/widget.schema.json', '/mcp/discover', '/'];

async function aSession(port, options) {
    const headers = { Accept: 'application/json, text/event-stream' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'soak', version: '1' } };
    const begun = await post(port, '/mcp', request(1, 'initialize', params), headers, options);
    assert.equal(begun.status, 200, begun.text);
    const mine = { ...headers, 'Mcp-Session-Id': begun.headers['mcp-session-id'], 'MCP-Protocol-Version': '2025-06-18' };
    const stream = http.get({ port, path: '/mcp', headers: mine, agent: false });
    stream.on('error', () => {});
    assert.equal((await post(port, '/mcp', request(2, 'tools/list'), mine, options)).status, 200);
    if (asked % 2) stream.destroy();
    assert.equal((await fetchDelete(port, mine)).status, 204);
    stream.destroy();
}

const fetchDelete = (port, headers) => get(port, '/mcp', headers, { method: 'DELETE' });

function httpDoor(server) {
    const options = { agent: new http.Agent({ keepAlive: true, maxSockets: 1 }) };
    return async () => {
        await askOne(async (text) => (await post(server.port, '/rpc', text, {}, options)).text);
        if (asked % 7 === 0) assert.equal((await get(server.port, ROUTES[asked % ROUTES.length], {}, options)).status, 200);
        if (asked % 53 === 0) await aSession(server.port, options);
        if (asked % 101 === 0) options.agent.destroy();
    };
}

// ---- what the server is made of ----

const residentBytes = (pid) => Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
const children = (pid) => fs.readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean));
const mib = (bytes) => (bytes / MIB).toFixed(1);
const largest = (samples) => Math.max(...samples);

// The warm-up is the first sixth; what came right after it is compared with the end.
function figures(name, samples) {
    const sixth = Math.max(1, Math.floor(samples.length / 6));
    const rss = samples.map((sample) => sample.rss);
    const fds = samples.map((sample) => sample.fds);
    const early = largest(rss.slice(sixth, 2 * sixth + 1));
    const late = largest(rss.slice(-sixth));
    return {
        growth: late - early,
        text: `soak: ${name}: resident ${mib(rss[0])} MiB at first, ${mib(early)} warm, ${mib(late)} at the end; `
            + `descriptors ${fds[0]} at first, ${largest(fds)} at most`,
    };
}

// Log files of our size, all lines whole.
function checkLog(server) {
    const folder = path.join(server.dir, 'runs/mcp_server/envelope_validation');
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    assert.ok(files.length <= 5, `${files.length} files`);
    for (const file of files) {
        const text = fs.readFileSync(path.join(folder, file), 'utf8');
        assert.ok(text.length <= LOG_FILE_SIZE && (text === '' || text.endsWith('\n')), file);
        for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
    }
}

function startServers(port, backend) {
    const env = {
        SYN_SCHEMAS_DIR: 'schemas', SYN_EXAMPLES_DIR: 'examples', MCPGATE_TOOLS_DIR: 'tools', SYN_BACKEND_URL: backend,
        MCPGATE_LOG_DIR: 'runs', MCPGATE_LOG_MAX_BYTES: `${LOG_FILE_SIZE}`,
    };
    const both = new Server({ files: FILES, env, args: ['--http', `127.0.0.1:${port}`, '--socket', 's.sock'] });
    both.port = port;
    return { 'socket and HTTP': both, stdio: new Server({ files: FILES, env }) };
}

// A backend that refuses and hangs up now and then.
async function startBackend() {
    let count = 0;
    const backend = http.createServer((asking, answer) => {
        asking.resume();
        if (++count % 11 === 0) return asking.socket.destroy();
        answer.statusCode = count % 7 === 0 ? 500 : 201;
        return answer.end(JSON.stringify({ id: count }));
    });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    return backend;
}

test(`${SECONDS} s of everything`, { timeout: (SECONDS + 120) * 1000 }, async (t) => {
    const backend = await startBackend();
    const servers = startServers(await freePort(), `http://127.0.0.1:${backend.address().port}`);
    const { stdio: lines, 'socket and HTTP': both } = servers;
    const named = Object.entries(servers).map(([name, server]) => ({ name, server, samples: [] }));
    try {
        await Promise.all(named.map(({ server }) => server.said(/mcp:ready /)));
        await stdio(lines)();
        await socket(both)();
        const end = Date.now() + SECONDS * 1000;
        const workers = [stdio(lines), socket(both), socket(both), socket(both), httpDoor(both), httpDoor(both), httpDoor(both)];
        const pause = workers.length * 1000 / RATE;
        const repeat = async (ms, work) => {
            while (Date.now() < end) {
                const began = Date.now();
                await work();
                await sleep(Math.max(0, Math.min(ms - (Date.now() - began), end - Date.now())));
            }
        };
        const sample = () => named.forEach(({ server, samples }) => samples.push({ rss: residentBytes(server.child.pid), fds: descriptors(server.child.pid) }));
        let reloads = 0;
        const reload = () => {
            reloads++;
            for (const { server } of named) {
                server.write('schemas/widget.schema.json', { ...WIDGET, version: `1.${reloads}` });
                server.kill('SIGHUP');
            }
        };
        sample();
        await Promise.all([...workers.map((work) => repeat(pause, work)), repeat(SAMPLE_MS, sample), repeat(RELOAD_MS, reload)]);
        await until('no child', () => named.every(({ server }) => children(server.child.pid).length === 0));
        const metrics = (await get(both.port, '/metrics')).text;
        assert.match(metrics, /^mcpgate_log_lines_lost_total 0$/m);
        t.diagnostic(`soak: ${asked} messages in ${SECONDS} s, ${reloads} reloads`);
        for (const { name, server, samples } of named) {
            const { growth, text } = figures(name, samples);
            t.diagnostic(text);
            assert.ok(growth <= RSS_GROWTH_MAX, text);
            checkLog(server);
        }
        // What is left of connections: those of the workers that are still open.
        await until('descriptors', () => descriptors(both.child.pid) <= named[0].samples[0].fds + 2 * workers.length);
        await until('descriptors', () => descriptors(lines.child.pid) <= named[1].samples[0].fds);
        for (const { server } of named) {
            server.kill('SIGTERM');
            assert.equal(await server.exited, 0, server.err.text);
        }
    } finally {
        backend.close();
        backend.closeAllConnections?.();
        await Promise.all(named.map(({ server }) => server.end()));
    }
});
