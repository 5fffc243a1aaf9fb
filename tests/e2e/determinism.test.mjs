// The same message gives the same bytes and the same ids: on every transport, after every restart, with any number of threads,
// in any locale and time zone, and in whatever order a directory lists its files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { post, withHttp } from './http_client.mjs';
import { logLines, request, Server, soak, until } from './server.mjs';

const FILES = {
    'schemas/part.schema.json': { type: 'object', properties: { n: { type: 'integer' }, kind: { enum: ['bolt', 'nut'] } }, required: ['n'] },
    'schemas/Widget.schema.json': { version: '2.1.0', type: 'object', properties: { label: { type: 'string' }, part: { $ref: 'part.schema.json' } }, required: ['label'] },
    'schemas/ärger.schema.json': { type: 'string' },
    'examples/Part_One.json': { schema: 'part', n: 1 },
    'examples/deep/Widget.bad.json': '{"schema":"widget","label":5.10e1}',
    'examples/deep/ärger.json': '"text"',
    'tools/echo.tool.json': { name: 'echo', version: '1', description: 'echo', command: ['/bin/cat'], inputSchema: { type: 'object' } },
    'tools/fails.tool.json': { name: 'fails', version: '1', description: 'fails', command: ['/bin/sh', '-c', 'echo half; exit 7'], inputSchema: { type: 'object' } },
};

const VALUE = { z: [1, { b: 2, a: 3 }], a: 'Grüße', '': null };
// Every tool, with arguments it likes and some it does not.
const TOOLS = {
    list_schemas: [{}, { extra: 1 }],
    list_examples: [{}, { component: 'part' }],
    get_schema: [{ name: 'part' }, { name: 'Widget' }, { name: '../part' }, { name: 5 }, {}],
    get_example: [{ path: 'Part_One.json' }, { path: 'deep/Widget.bad.json' }, { path: 'none.json' }],
    validate_asset: [{ schema: 'part', asset: { n: 1 } }, { schema: 'part', asset: { n: 'x', kind: 'pin' } }, { schema: 'none', asset: {} }, { asset: {} }],
    validate_many: [{ schema: 'part', assets: [{ n: 1 }, {}, { n: 'x', kind: 0 }] }, { schema: 'part', assets: Array(101).fill({}) }],
    diff_assets: [{ base: VALUE, new: { a: 'Grüße', z: [], y: { x: 1 } } }, {}],
    populate_backend: [{ asset: {}, validate_first: false }],
    echo: [VALUE],
    fails: [{}],
};
const CALLS = Object.entries(TOOLS).flatMap(([name, lists]) => lists.map((args) => ({ name, args })));
const RESOURCE = { uri: 'mcpgate://schemas/part' };

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' } };
const INITIALIZE = request('begin', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });

// What is asked of MCP, in both eras.
const ASKED = [
    ['tools/list', {}], ['resources/list', {}], ['resources/templates/list', {}], ['prompts/list', {}],
    ['resources/read', RESOURCE], ['resources/read', { uri: 'mcpgate://schemas/none' }], ['resources/read', { uri: 'mcpgate://examples/deep/Widget.bad.json' }],
    ['prompts/get', { name: 'none' }], ['completion/complete', { ref: { type: 'ref/resource', uri: 'mcpgate://schemas/{name}' }, argument: { name: 'name', value: '' } }],
    ['tools/list', { cursor: 'none' }], ['no/such', {}],
    ...CALLS.map(({ name, args }) => ['tools/call', { name, arguments: args }]),
];

let id = 0;
const envelope = (name, params, more = {}) => JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name }, params, artifacts: [], ...more });
const PROVENANCE = { capture_provenance: true, provenance_mode: 'full', capture_artifacts: true };
// For transports that take any dialect.
const MESSAGES = [
    ...CALLS.map(({ name, args }) => request(++id, name, args)),
    ...CALLS.map(({ name, args }) => request(`e${++id}`, 'mcp.tool.invoke', { toolId: `mcp.tool:${name}`, arguments: args })),
    ...CALLS.map(({ name, args }) => envelope(name, args)),
    ...CALLS.map(({ name, args }) => envelope(name, { ...args, _meta: PROVENANCE })),
    ...CALLS.map(({ name, args }) => JSON.stringify({ version: '1.0.0', id: `r${++id}`, timestamp: '2025-10-13T15:10:00Z', tool: name, payload: args })),
    request('d', 'mcp.discover'), request('p', 'mcp.prompt.get', { promptId: 'none' }), request('u', 'no_such_tool'),
    'no json', '{"a":1,"a":2}', '[]', '{}', '{"jsonrpc":"2.0","id":1.50e1,"method":"no/such"}', '{"jsonrpc":"2.0","id":true,"method":"x"}',
];
const MODERN = ASKED.concat([['server/discover', {}], ['ping', {}]]).map(([method, params], i) => ({ method, params: { ...params, _meta: META }, text: request(`m${i}`, method, { ...params, _meta: META }) }));
const LEGACY = ASKED.concat([['ping', {}], ['logging/setLevel', { level: 'error' }]]).map(([method, params], i) => request(`l${i}`, method, params));

// Response envelopes say when, and how long; nothing else does.
const timeless = (text) => text.replace(/("status":\{[^{}]*\}),"timestamp":"[^"]+","duration_ms":[0-9.]+/, '$1');

// ---- transports ----

const overLines = (peer) => async (text) => { peer.write(`${text}\n`); return peer.next(); };

async function askLines(peer) {
    const ask = overLines(peer);
    const answers = { any: [], modern: [], legacy: [] };
    for (const text of MESSAGES) answers.any.push(await ask(text));
    for (const { text } of MODERN) answers.modern.push(await ask(text));
    answers.legacy.push(await ask(INITIALIZE));
    for (const text of LEGACY) answers.legacy.push(await ask(text));
    return answers;
}

async function askHttp(server) {
    const answers = { any: [], rpcModern: [], modern: [], legacy: [] };
    const accept = { Accept: 'application/json, text/event-stream' };
    for (const text of MESSAGES) answers.any.push((await post(server.port, '/rpc', text)).text);
    for (const { text } of MODERN) answers.rpcModern.push((await post(server.port, '/rpc', text)).text);
    for (const { method, params, text } of MODERN) {
        const name = params.name ?? params.uri;
        const headers = { ...accept, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...(name ? { 'Mcp-Name': name } : {}) };
        answers.modern.push((await post(server.port, '/mcp', text, headers)).text);
    }
    const begun = await post(server.port, '/mcp', INITIALIZE, accept);
    answers.legacy.push(begun.text);
    const headers = { ...accept, 'Mcp-Session-Id': begun.headers['mcp-session-id'] };
    for (const text of LEGACY) answers.legacy.push((await post(server.port, '/mcp', text, headers)).text);
    return answers;
}

// The ids in the log, by transport.
async function readIds(server, transport, count) {
    const lines = () => logLines(server, 'logs').filter((line) => line.transport === transport);
    await until(() => `${count} lines of ${transport}, found ${lines().length}`, () => lines().length === count);
    return lines().map(({ method, requestId, traceId, spanId, status }) => ({ method, requestId, traceId, spanId, status }));
}

const settings = ({ threads, locale, reversed }) => {
    const names = Object.keys(FILES);
    if (reversed) names.reverse();
    return {
        files: Object.fromEntries(names.map((name) => [name, FILES[name]])),
        env: { SYN_SCHEMAS_DIR: 'schemas', SYN_EXAMPLES_DIR: 'examples', MCPGATE_TOOLS_DIR: 'tools', MCPGATE_LOG_DIR: 'logs', MCPGATE_THREADS: threads, ...locale },
    };
};

async function runStdio(conditions) {
    const server = new Server(settings(conditions));
    try {
        const answers = await askLines({ write: (text) => server.child.stdin.write(text), next: () => server.out.next() });
        server.child.stdin.end();
        assert.equal(await server.exited, 0);
        return { answers, ids: await readIds(server, 'stdio', MESSAGES.length + MODERN.length + LEGACY.length + 1) };
    } finally {
        await server.end();
    }
}

const runOthers = (conditions) => withHttp(settings(conditions), async (server) => {
    const peer = await server.connect();
    const socket = await askLines({ write: (text) => peer.socket.write(text), next: () => peer.lines.next() });
    peer.socket.destroy();
    const http = await askHttp(server);
    return {
        socket: { answers: socket, ids: await readIds(server, 'socket', MESSAGES.length + MODERN.length + LEGACY.length + 1) },
        http: { answers: http, ids: await readIds(server, 'http', MESSAGES.length + 2 * MODERN.length + LEGACY.length + 1) },
    };
});

// ---- comparing ----

function expectSame(expected, actual, questions, where) {
    assert.equal(actual.length, expected.length);
    expected.forEach((text, i) => assert.equal(timeless(actual[i]), timeless(text), `${where}: ${questions[i]}`));
}

function expectAsBefore(reference, { answers, ids }, where) {
    const modern = MODERN.map(({ text }) => text);
    expectSame(reference.answers.any, answers.any, MESSAGES, where);
    expectSame(reference.answers.modern, answers.modern, modern, where);
    expectSame(reference.answers.legacy, answers.legacy, [INITIALIZE, ...LEGACY], where);
    if (answers.rpcModern) expectSame(reference.answers.modern, answers.rpcModern, modern, `${where} /rpc`);
    const lines = [...reference.ids];
    // Over HTTP modern messages are asked twice, at /rpc and at /mcp.
    if (answers.rpcModern) lines.splice(MESSAGES.length, 0, ...reference.ids.slice(MESSAGES.length, MESSAGES.length + MODERN.length));
    const sorted = (list) => list.map((line) => JSON.stringify(line)).sort(); // threads do not wait for each other's lines
    assert.deepEqual(sorted(ids), sorted(lines), `ids: ${where}`);
}

const CONDITIONS = [
    { threads: '1', locale: { LC_ALL: 'C', TZ: 'UTC' } },
    { threads: '4', locale: { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', TZ: 'Asia/Kathmandu' }, reversed: true },
    { threads: '4', locale: { LC_ALL: 'C.UTF-8', TZ: 'America/St_Johns' } },
];
const ROUNDS = soak ? 20 : 1;

test('the same request has the same answer and ids: every tool, dialect and transport', async () => {
    const reference = await runStdio(CONDITIONS[0]);
    // Otherwise equal answers would prove little.
    const whole = [...reference.answers.any, ...reference.answers.modern, ...reference.answers.legacy];
    assert.ok(whole.every((text) => typeof JSON.parse(text) === 'object'));
    assert.ok(whole.filter((text) => /"ok":true|"result":|"success"/.test(text)).length > whole.length / 2);
    assert.ok(reference.answers.any.some((text) => /"run_id":"[0-9a-f-]{36}"/.test(text)));
    assert.ok(reference.answers.any.some((text) => /"record_digest"/.test(text)));
    assert.equal(whole.filter((text) => text !== timeless(text)).length, CALLS.length);
    assert.ok(reference.ids.every(({ requestId }) => /^[0-9a-f-]{36}$/.test(requestId)));
    for (let round = 0; round < ROUNDS; round++) {
        for (const conditions of CONDITIONS) {
            const where = JSON.stringify(conditions);
            expectAsBefore(reference, await runStdio(conditions), `stdio ${where}`);
            const { socket, http } = await runOthers(conditions);
            expectAsBefore(reference, socket, `socket ${where}`);
            expectAsBefore(reference, http, `http ${where}`);
        }
    }
});

const TIMES = soak ? 1000 : 100;

test(`the same ${TIMES} times, many at once`, () => withHttp(settings(CONDITIONS[1]), async (server) => {
    const asked = [MESSAGES[5], MESSAGES[7], ...MESSAGES.filter((text) => /provenance_mode/.test(text) && !/"fails"|"echo"/.test(text))];
    for (const text of asked) {
        const answers = await Promise.all(Array.from({ length: TIMES }, () => post(server.port, '/rpc', text)));
        assert.equal(new Set(answers.map((answer) => answer.text)).size, 1, text);
    }
}));
