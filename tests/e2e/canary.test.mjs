// Secrets are put into every place that can hold one. None may appear in logs, pages, errors, metrics, listings or the list
// of processes, on any transport.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { freePort, get, post } from './http_client.mjs';
import { request, Server, until } from './server.mjs';

// Each says where it was put.
const CANARY = {
    token: 'canary-token-7f3a', wrongToken: 'canary-wrong-7f3b', member: 'canary-member-7f3c', backend: 'canary-backend-7f3d',
    environment: 'canary-environment-7f3e', toolSets: 'canary-toolsets-7f3f', toolGets: 'canary-toolgets-7f40', stderr: 'canary-stderr-7f41',
    auth: 'canary-auth-7f42', header: 'canary-header-7f43', cookie: 'canary-cookie-7f44', query: 'canary-query-7f45',
};

const tool = (name, script, more = {}) => ({
    name, version: '1', description: name, command: ['/bin/sh', '-c', script], inputSchema: { type: 'object', properties: { n: { type: 'integer' } } }, ...more,
});
const FILES = {
    'schemas/widget.schema.json': { type: 'object', properties: { sku: { type: 'string', maxLength: 3 }, pin: { type: 'integer' } }, required: ['sku'] },
    'tools/env.tool.json': tool('env', 'env'),
    'tools/quiet.tool.json': tool('quiet', 'test -n "$SET" && test -n "$GIVEN" && echo "{}"', { environment: [`SET=${CANARY.toolSets}`, 'GIVEN'] }),
    'tools/noisy.tool.json': tool('noisy', `echo ${CANARY.stderr} >&2; exit 3`, { environment: [`SET=${CANARY.toolSets}`] }),
    'tools/dying.tool.json': tool('dying', `echo ${CANARY.stderr} >&2; kill -9 $$`),
};
const ID = '3fd7d2b1-79d1-4b8e-92c8-105c1ce9b6f7';

// Messages with secrets in them. None asks to have them back.
function messages() {
    const secrets = { pin: CANARY.member, PIN: CANARY.member, password: CANARY.auth, auth: { token: CANARY.auth }, nested: [{ pin: CANARY.member }] };
    const policy = (name, params) => JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name }, params, artifacts: [] });
    const ref = (more) => JSON.stringify({
        id: ID, version: '1.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {}, auth: { type: 'bearer', token: CANARY.auth }, ...more,
    });
    const both = (name, args) => [
        request(1, name, args), request(2, 'tools/call', { name, arguments: args }), request(ID, 'mcp.tool.invoke', { toolId: `mcp.tool:${name}`, arguments: args }),
        policy(name, args), ref({ tool: name, payload: args }),
    ];
    return [
        ...both('list_schemas', secrets), ...both('list_schemas', { n: CANARY.token }), ...both('get_schema', { name: 7, ...secrets }),
        ...both('validate_asset', { schema: 'widget', asset: { sku: 7, ...secrets } }), ...both('populate_backend', { asset: { schema: 'widget', sku: 'abc' } }),
        ...both('populate_backend', { asset: { schema: 'widget', sku: 'abc' }, validate_first: false, ...secrets }),
        ...['env', 'quiet', 'noisy', 'dying'].flatMap((name) => both(name, {})), ...both('env', { n: 'x', ...secrets }),
        ref({}), ref({ auth: CANARY.auth }), ref({ auth: { token: 7 }, extra: 1 }), ref({ version: '2.0.0' }), ref({ tool: 'none' }), ref({ payload: 7 }),
        request(1, 'tools/list', { _meta: { authorization: CANARY.auth, token: CANARY.token, traceparent: CANARY.auth } }),
        request(1, 'initialize', { protocolVersion: 7, capabilities: secrets, clientInfo: { name: 'c', version: '1', token: CANARY.token } }),
        request(1, 'no/such', secrets), request(1, 'none', secrets), JSON.stringify({ jsonrpc: '2.0', id: 1, ...secrets }), JSON.stringify(secrets),
        `{"jsonrpc":"2.0","id":1,"method":"list_schemas","params":{"pin":"${CANARY.member}"`, `{"pin":"${CANARY.member}",}`,
        request(1, 'list_schemas', { _meta: { agentId: CANARY.token, taskId: `x${CANARY.token}y`, stepId: CANARY.token } }),
        request(1, `${CANARY.token}`, {}), request(1, 'tools/call', { name: CANARY.token, arguments: { [CANARY.token]: CANARY.token } }),
    ];
}

// The token in a name of the client's own choosing comes back to that client, and to no other client.
const isEchoed = (text, secret) => secret === CANARY.token && text.includes(CANARY.token);

function assertSilent(where, text, secrets = Object.values(CANARY)) {
    for (const secret of secrets) {
        const at = text.indexOf(secret);
        assert.ok(at < 0, `${where} tells ${secret}: …${text.slice(Math.max(0, at - 200), at + 60)}…`);
    }
}

async function startBackend(status) {
    const heard = [];
    const backend = http.createServer((asking, answer) => { heard.push(asking.headers); asking.resume(); answer.statusCode = status; answer.end('{"id":"a"}'); });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    return { backend, heard, url: `http://127.0.0.1:${backend.address().port}` };
}

function everythingBelow(dir) {
    return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
        const name = path.join(dir, entry.name);
        return entry.isDirectory() ? everythingBelow(name) : entry.isFile() ? [[name, fs.readFileSync(name, 'utf8')]] : [];
    });
}

const ENV = {
    MCPGATE_TOKEN: CANARY.token, MCPGATE_REDACT: 'pin', SECRET_OF_OURS: CANARY.environment, GIVEN: CANARY.toolGets,
    SYN_SCHEMAS_DIR: 'schemas', MCPGATE_TOOLS_DIR: 'tools', MCPGATE_LOG_DIR: 'runs',
};

const titles = (pid) => ['cmdline', 'comm', 'stat'].map((file) => fs.readFileSync(`/proc/${pid}/${file}`, 'utf8')).join(' ');

// What the server said, wrote and shows of itself. A program's standard error is the operator's, on ours.
async function checkServer(server) {
    assertSilent('the list of processes', titles(server.child.pid));
    server.kill('SIGHUP');
    await server.said(/mcp:reload/);
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assertSilent('standard error', server.err.text, Object.values(CANARY).filter((secret) => secret !== CANARY.stderr));
    const written = everythingBelow(path.join(server.dir, 'runs'));
    assert.ok(written.length > 0 && written.some(([, text]) => text.includes('[redacted]')));
    for (const [name, text] of written) assertSilent(name, text);
}

async function withBackend(status, work) {
    const { backend, heard, url } = await startBackend(status);
    try { await work(url, heard); } finally { backend.close(); }
}

async function withCanaries(options, work) {
    const server = new Server({ files: FILES, ...options, env: { ...ENV, ...options.env } });
    try {
        await server.said(/mcp:ready /);
        await work(server);
        await checkServer(server);
    } finally {
        await server.end();
    }
}

function checkAnswer(text, answer) {
    assertSilent(`the answer to ${text.slice(0, 120)}`, answer, Object.values(CANARY).filter((secret) => !isEchoed(text, secret)));
}

for (const status of [201, 500]) {
    test(`standard input and socket, a backend that says ${status}`, () => withBackend(status, async (url) => {
        await withCanaries({ env: { SYN_BACKEND_URL: url } }, async (server) => {
            for (const text of messages()) { server.send(text); checkAnswer(text, await server.out.next()); }
        });
        await withCanaries({ args: ['--socket', 's.sock'], env: { SYN_BACKEND_URL: url } }, async (server) => {
            const peer = await server.connect();
            for (const text of messages()) { peer.socket.write(`${text}\n`); checkAnswer(text, await peer.lines.next()); }
        });
    }));
}

const PAGES = [
    '/', '/metrics', '/diagnostics', '/openapi.json', '/v1/tools', '/mcp/discover', '/schemas/widget.schema.json', '/schemas/none', '/healthz', '/readyz',
    '/.well-known/oauth-protected-resource', '/none', `/none?token=${CANARY.query}`, `/metrics?access_token=${CANARY.query}`,
];

async function askHttp(port, headers, statuses) {
    const mine = { 'X-Api-Key': CANARY.header, Cookie: `session=${CANARY.cookie}`, ...headers };
    for (const text of messages()) {
        for (const route of ['/rpc', '/mcp', '/v1/invoke', '/mcp/tool/mcp.tool:list_schemas']) {
            const answer = await post(port, route, text, { Accept: 'application/json, text/event-stream', ...mine });
            statuses.add(answer.status);
            checkAnswer(text, answer.text + JSON.stringify(answer.headers));
        }
    }
    for (const page of PAGES) {
        const answer = await get(port, page, mine);
        assertSilent(page, answer.text + JSON.stringify(answer.headers));
    }
}

test('HTTP: with the token, with a wrong one, without', () => withBackend(500, async (url, heard) => {
    const port = await freePort();
    await withCanaries({ args: ['--http', `127.0.0.1:${port}`], env: { SYN_BACKEND_URL: url } }, async (server) => {
        const statuses = new Set();
        await askHttp(server.port ?? port, { Authorization: `Bearer ${CANARY.token}` }, statuses);
        assert.ok(statuses.has(200) && statuses.has(400) && !statuses.has(401));
        statuses.clear();
        await askHttp(port, { Authorization: `Bearer ${CANARY.wrongToken}` }, statuses);
        await askHttp(port, { Authorization: `Basic ${CANARY.wrongToken}` }, statuses);
        await askHttp(port, {}, statuses);
        assert.deepEqual([...statuses], [401]);
    });
    for (const headers of heard) assertSilent('what the backend is sent', JSON.stringify(headers));
}));

test('a token in a file, and one on the command line', async () => {
    const port = await freePort();
    const env = { MCPGATE_TOKEN: '' };
    const bad = request(1, CANARY.token, {});
    for (const args of [['--token-file', 'secret'], ['--token', CANARY.token]]) {
        await withCanaries({ files: { ...FILES, secret: `${CANARY.token}\n` }, env, args: [...args, '--http', `127.0.0.1:${port}`] }, async () => {
            assert.equal((await post(port, '/rpc', bad, { Authorization: `Bearer ${CANARY.token}` })).status, 200);
            await until('a refusal', async () => (await post(port, '/rpc', bad, {})).status === 401);
        });
    }
});

test('a backend with a password in its address: it is sent there and shown nowhere', () => withBackend(201, async (url, heard) => {
    const secret = url.replace('//', `//user:${CANARY.backend}@`);
    await withCanaries({ env: { SYN_BACKEND_URL: secret } }, async (server) => {
        for (const text of [request(1, 'populate_backend', { asset: { schema: 'widget', sku: 'abc' } }), request(1, CANARY.token)]) {
            server.send(text);
            checkAnswer(text, await server.out.next());
        }
    });
    const wrong = new Server({ env: { ...ENV, SYN_BACKEND_URL: secret.replace('http', 'ftp') }, files: FILES });
    assert.equal(await wrong.exited, 2);
    assertSilent('standard error', wrong.err.text);
    await wrong.end();
    assert.equal(heard[0].authorization, `Basic ${Buffer.from(`user:${CANARY.backend}`).toString('base64')}`);
}));
