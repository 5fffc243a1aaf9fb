// The official protocol as a client sees it, version by version, by lines and over HTTP: what is answered, with which code
// and which status, and which messages get no answer.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { fetchOnce, post, withHttp } from './http_client.mjs';
import { request, Server, until } from './server.mjs';

const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const META = { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: {} };
const BOTH = { Accept: 'application/json, text/event-stream' };
const settings = {
    files: {
        'schemas/part.schema.json': { type: 'object' },
        'tools/words.tool.json': { name: 'words', version: '1', title: 'Words', description: 'words', command: ['/bin/echo', 'hello'], inputSchema: { type: 'object' } },
    },
    env: { SYN_SCHEMAS_DIR: 'schemas', MCPGATE_TOOLS_DIR: 'tools' },
};
const initialize = (version, id = 'begin') => request(id, 'initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } });
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const PART = { uri: 'mcpgate://schemas/part' };
const NONE = { uri: 'mcpgate://schemas/none' };
const DIAGNOSTICS = { uri: 'mcpgate://diagnostics' };

// ---- clients ----

const isCall = (text) => /"id":.*"method":"tools\/call"/.test(text);

// send(text): what comes of a message: {status, answer}; no answer: undefined. Lines have no status.
async function overLines(version, work) {
    const server = new Server(settings);
    let marks = 0;
    const send = async (text) => {
        const mark = `mark ${++marks}`;
        server.send(text);
        server.send(request(mark, 'ping'));
        const first = JSON.parse(await server.out.next());
        if (first.id === mark && !isCall(text)) return { answer: undefined };
        const second = JSON.parse(await server.out.next()); // a call may take its time
        assert.ok(first.id === mark || second.id === mark);
        return { answer: first.id === mark ? second : first };
    };
    try {
        const begun = LEGACY.includes(version) ? (await send(initialize(version))).answer : undefined;
        if (begun) assert.equal((await send(INITIALIZED)).answer, undefined);
        return await work({ send, begun, isHttp: false });
    } finally {
        await server.end();
    }
}

const headersOf = (message) => {
    const { method, params = {} } = message;
    const name = { 'tools/call': params.name, 'prompts/get': params.name, 'resources/read': params.uri }[method];
    return { 'MCP-Protocol-Version': MODERN, ...(method ? { 'Mcp-Method': method } : {}), ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}) };
};
const parse = (text) => text === '' ? undefined : JSON.parse(text);
const isJson = (text) => { try { JSON.parse(text); return true; } catch { return false; } };

const overHttp = (version, work) => withHttp(settings, async (server) => {
    const call = async (text, headers) => { const got = await post(server.port, '/mcp', text, { ...BOTH, ...headers }); return { status: got.status, answer: parse(got.text), headers: got.headers }; };
    if (version === MODERN) return work({ send: (text) => call(text, isJson(text) ? headersOf(JSON.parse(text)) : { 'MCP-Protocol-Version': MODERN }), call, isHttp: true, server });
    const begun = await call(initialize(version), {});
    const session = { 'Mcp-Session-Id': begun.headers['mcp-session-id'] };
    const told = version >= '2025-06-18' ? { ...session, 'MCP-Protocol-Version': version } : session;
    assert.equal((await call(INITIALIZED, told)).status, 202);
    return work({ send: (text) => call(text, told), call, begun: begun.answer, session, isHttp: true, server });
});

const TRANSPORTS = { lines: overLines, HTTP: overHttp };

async function expectError(client, text, code, status, id) {
    const got = await client.send(text);
    assert.equal(got.answer?.error?.code, code, `${text}: ${JSON.stringify(got.answer)}`);
    if (client.isHttp) assert.equal(got.status, status, text);
    if (id !== undefined) assert.equal(got.answer.id, id, text);
    return got.answer.error;
}

async function expectResult(client, text) {
    const got = await client.send(text);
    assert.ok(got.answer?.result, `${text}: ${JSON.stringify(got.answer)}`);
    if (client.isHttp) assert.equal(got.status, 200, text);
    return got.answer.result;
}

async function expectSilence(client, text) {
    const got = await client.send(text);
    assert.equal(got.answer, undefined, text);
    if (client.isHttp) assert.equal(got.status, 202, text);
}

const members = (list) => [...new Set(list.flatMap((one) => Object.keys(one)))];

// ---- the legacy era ----

for (const version of LEGACY) {
    for (const [transport, open] of Object.entries(TRANSPORTS)) {
        const legacy = (name, work) => test(`${version}, ${transport}: ${name}`, () => open(version, work));

        legacy('initialize', async (client) => {
            const { protocolVersion, capabilities, serverInfo } = client.begun.result;
            assert.equal(protocolVersion, version);
            assert.equal(serverInfo.name, 'mcpgate');
            assert.deepEqual(Object.keys(capabilities).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools'].filter((name) => name !== 'completions' || version > '2024-11-05'));
            await expectError(client, initialize(version, 2), -32600, 400, 2);
            assert.deepEqual(await expectResult(client, request(3, 'ping')), {});
        });

        legacy('answers have the members of the version and no others', async (client) => {
            const { tools } = await expectResult(client, request(1, 'tools/list'));
            const has = (first) => version >= first;
            const expected = ['annotations', 'description', 'inputSchema', 'name', 'outputSchema', 'title'].filter((name) => (
                (name !== 'annotations' || has('2025-03-26')) && (!['outputSchema', 'title'].includes(name) || has('2025-06-18'))));
            assert.deepEqual(members(tools).sort(), expected);
            const { prompts } = await expectResult(client, request(2, 'prompts/list'));
            assert.equal(members(prompts).includes('title'), has('2025-06-18'));
            const called = await expectResult(client, request(3, 'tools/call', { name: 'list_schemas' }));
            assert.equal('structuredContent' in called, has('2025-06-18'));
            assert.equal(JSON.parse(called.content[0].text).schemas[0].name, 'part');
            assert.ok(!('resultType' in called) && !('ttlMs' in await expectResult(client, request(4, 'resources/list'))));
            const words = await expectResult(client, request(5, 'tools/call', { name: 'words' }));
            assert.deepEqual(words, { content: [{ type: 'text', text: 'hello\n' }], isError: false });
            const { contents } = await expectResult(client, request(6, 'resources/read', PART));
            assert.deepEqual(contents.map(({ uri, mimeType }) => ({ uri, mimeType })), [{ ...PART, mimeType: 'application/json' }]);
        });

        legacy('errors', async (client) => {
            await expectError(client, request(1, 'no/such', { a: 1 }), -32601, 200, 1);
            await expectError(client, '{"jsonrpc":"2.0","id":1,"method":"no/such","params":[]}', -32601, 200, 1);
            await expectError(client, '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32602, 200, 1);
            await expectError(client, request(1, 'tools/call', {}), -32602, 200, 1);
            await expectError(client, request(1, 'tools/call', { name: 'none' }), -32602, 200, 1);
            await expectError(client, request(1, 'tools/list', { cursor: 'none' }), -32602, 200, 1);
            await expectError(client, request(1, 'prompts/get', { name: 'none' }), -32602, 200, 1);
            await expectError(client, request(1, 'prompts/get', { name: 'new_asset' }), -32602, 200, 1);
            await expectError(client, request(1, 'logging/setLevel', { level: 'loud' }), -32602, 200, 1);
            await expectError(client, request(1, 'resources/read', NONE), -32002, 200, 1);
            await expectError(client, request(1, 'resources/subscribe', NONE), -32002, 200, 1);
            await expectError(client, '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 400, 1.5);
            await expectError(client, '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 400);
            await expectError(client, '{', -32700, 400);
            await expectError(client, request(1, 'server/discover'), -32602, 400, 1);
            // Tasks are an experiment we do not take part in: no methods, and a call is a call.
            for (const method of ['tasks/list', 'tasks/get', 'tasks/result', 'tasks/cancel']) await expectError(client, request(1, method, { taskId: 'x' }), -32601, 200, 1);
            assert.ok(!('tasks' in client.begun.result.capabilities));
            assert.ok((await expectResult(client, request(1, 'tools/call', { name: 'list_schemas', task: { ttl: 1000 } }))).content);
        });

        legacy('bad arguments and failures of tools', async (client) => {
            const bad = request(1, 'tools/call', { name: 'get_schema', arguments: { name: 5 } });
            if (version < '2025-11-25') await expectError(client, bad, -32602, 200, 1);
            else assert.equal((await expectResult(client, bad)).isError, true);
            assert.equal((await expectResult(client, request(2, 'tools/call', { name: 'get_schema', arguments: { name: 'none' } }))).isError, true);
        });

        legacy('ids are integers of any spelling, or strings', async (client) => {
            for (const id of ['1.0', '1e2', '-0', '"\\u0041"', '""', '12345678901234567890']) {
                const { answer } = await client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
                assert.equal(answer.id, JSON.parse(id));
            }
        });

        legacy('messages without an answer', async (client) => {
            await expectSilence(client, '{"jsonrpc":"2.0","method":"notifications/nothing","params":{}}');
            await expectSilence(client, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}');
            await expectSilence(client, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}');
            await expectSilence(client, '{"jsonrpc":"2.0","id":99,"result":{}}');
            await expectSilence(client, '{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}');
            // A request without an id has no answer, but HTTP has a status for it.
            const nameless = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"list_schemas"}}';
            if (client.isHttp) assert.equal((await client.send(nameless)).status, 400);
            else await expectSilence(client, nameless);
        });

        legacy('batches', async (client) => {
            if (version !== '2025-03-26') {
                for (const text of ['[]', `[${request(1, 'ping')}]`, `[${INITIALIZED}]`]) {
                    assert.match((await expectError(client, text, -32600, 400)).data.details, /batches are not/);
                }
                return;
            }
            const { answer } = await client.send(`[${request(1, 'ping')},{"x":1},${INITIALIZED},5,${initialize(version, 2)}]`);
            assert.deepEqual(answer.map((one) => [one.id, one.error?.code]), [[1, undefined], [null, -32600], [null, -32600], [2, -32600]]);
            await expectSilence(client, `[${INITIALIZED},{"jsonrpc":"2.0","id":99,"result":{}}]`);
            assert.match((await expectError(client, '[]', -32600, 400)).data.details, /at least one message/);
        });

        legacy('a modern request beside it', async (client) => {
            const text = request(1, 'tools/list', { _meta: META });
            const { answer } = client.isHttp ? await client.call(text, { ...client.session, ...headersOf(JSON.parse(text)) }) : await client.send(text);
            assert.equal(answer.result.resultType, 'complete');
            const { tools } = await expectResult(client, request(2, 'tools/list'));
            assert.equal(members(tools).includes('outputSchema'), version >= '2025-06-18');
        });
    }

    test(`${version}, HTTP: sessions`, () => overHttp(version, async ({ call, session, server }) => {
        assert.match(session['Mcp-Session-Id'], /^[\x21-\x7e]{32,}$/);
        const ping = (headers) => call(request(1, 'ping'), headers);
        assert.equal((await ping({ ...session, 'MCP-Protocol-Version': version })).status, 200);
        assert.equal((await ping(session)).status, 200);
        const others = [...LEGACY, '2020-01-01', ''].filter((other) => other !== version);
        for (const other of others) assert.equal((await ping({ ...session, 'MCP-Protocol-Version': other })).status, 400, other);
        assert.equal((await ping({})).status, 400);
        assert.equal((await ping({ 'Mcp-Session-Id': 'none' })).status, 404);
        assert.equal((await call(initialize(version), { 'Mcp-Session-Id': '0'.repeat(32) })).status, 200, 'one that is over is begun anew');
        assert.equal((await call('{"jsonrpc":"2.0","id":1,"result":{}}', {})).status, 400);

        const stream = await new Promise((resolve, reject) => {
            http.get({ host: '127.0.0.1', port: server.port, path: '/mcp', agent: false, headers: { ...session, Accept: 'text/event-stream' } }, resolve).on('error', reject);
        });
        assert.deepEqual([stream.statusCode, stream.headers['content-type']], [200, 'text/event-stream']);
        let isOver = false;
        stream.resume().on('end', () => { isOver = true; });
        const get = (headers) => fetchOnce(server.port, { path: '/mcp', headers });
        assert.equal((await get({ ...session, Accept: 'application/json' })).status, 406);
        assert.equal((await get({ 'Mcp-Session-Id': 'none', Accept: 'text/event-stream' })).status, 404);
        assert.equal((await get({ Accept: 'text/event-stream' })).status, 405);
        const end = (headers) => fetchOnce(server.port, { method: 'DELETE', path: '/mcp', headers });
        assert.equal((await end({})).status, 405);
        assert.equal((await end(session)).status, 204);
        await until('the end of the stream', () => isOver);
        assert.equal((await end(session)).status, 404);
        assert.equal((await ping(session)).status, 404);
    }));
}

test('versions that are not offered: the newest of the era', async () => {
    for (const version of ['1999-01-01', MODERN, 'latest']) {
        await withHttp(settings, async (server) => {
            const { text } = await post(server.port, '/mcp', initialize(version), BOTH);
            assert.equal(JSON.parse(text).result.protocolVersion, '2025-11-25');
        });
    }
});

test('before initialize lines are served as the newest of the era', () => overLines(undefined, async (client) => {
    assert.deepEqual(await expectResult(client, request(1, 'ping')), {});
    assert.ok(members((await expectResult(client, request(2, 'tools/list'))).tools).includes('outputSchema'));
}));

// ---- the modern era ----

const modern = (id, method, params = {}, meta = {}) => request(id, method, { ...params, _meta: { ...META, ...meta } });

for (const [transport, open] of Object.entries(TRANSPORTS)) {
    test(`${MODERN}, ${transport}: results`, () => open(MODERN, async (client) => {
        for (const [method, params] of [['server/discover'], ['tools/list'], ['prompts/list'], ['resources/list'], ['resources/templates/list'], ['resources/read', PART], ['resources/read', DIAGNOSTICS]]) {
            const { resultType, ttlMs, cacheScope, _meta } = await expectResult(client, modern(1, method, params));
            assert.equal(resultType, 'complete');
            const isLive = params === DIAGNOSTICS;
            assert.deepEqual([ttlMs > 0, cacheScope], isLive ? [false, 'private'] : [true, 'public'], method);
            assert.equal(_meta[`${PREFIX}serverInfo`].name, 'mcpgate');
        }
        const discovered = await expectResult(client, modern(1, 'server/discover'));
        assert.deepEqual([...discovered.supportedVersions].sort(), [...LEGACY, MODERN]);
        assert.deepEqual(Object.keys(discovered.capabilities).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools']);
        const called = await expectResult(client, modern(1, 'tools/call', { name: 'list_schemas' }));
        assert.ok(called.resultType === 'complete' && called.structuredContent.ok && !('ttlMs' in called));
        const bad = await expectResult(client, modern(1, 'tools/call', { name: 'get_schema', arguments: { name: 5 } }));
        assert.ok(bad.isError && bad.resultType === 'complete');
    }));

    test(`${MODERN}, ${transport}: errors`, () => open(MODERN, async (client) => {
        const gone = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'no/such'];
        const tasks = ['tasks/get', 'tasks/list', 'tasks/update', 'tasks/cancel', 'tasks/result'];
        for (const method of [...gone, ...tasks]) await expectError(client, modern(1, method, { taskId: 'x' }), -32601, 404, 1);
        await expectError(client, request(1, 'tools/list', { _meta: { [`${PREFIX}protocolVersion`]: MODERN } }), -32602, 400, 1);
        const error = await expectError(client, modern(1, 'resources/read', NONE), -32602, 200, 1);
        assert.deepEqual(error.data, NONE);
        await expectError(client, modern(1, 'tools/call', { name: 'none' }), -32602, 200, 1);
        await expectError(client, modern(1, 'tools/list', { cursor: 'none' }), -32602, 200, 1);
        await expectError(client, modern(1, 'tools/list', {}, { [`${PREFIX}logLevel`]: 'loud' }), -32602, 200, 1);
        await expectError(client, modern(1, 'tools/call', { name: 'list_schemas', requestState: 'mine', inputResponses: {} }), -32602, 200, 1);
        await expectError(client, `[${modern(1, 'tools/list')}]`, -32600, 400);
        await expectSilence(client, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/nothing', params: { _meta: META } }));
        await expectSilence(client, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } }));
    }));
}

test(`${MODERN}: results that need a token have private cache scope`, () => withHttp({ ...settings, env: { ...settings.env, MCPGATE_TOKEN: 'open-sesame' } }, async (server) => {
    for (const [method, params] of [['server/discover'], ['tools/list'], ['prompts/list'], ['resources/list'], ['resources/templates/list'], ['resources/read', PART]]) {
        const message = modern(1, method, params);
        const { text } = await post(server.port, '/mcp', message, { ...BOTH, ...headersOf(JSON.parse(message)), Authorization: 'Bearer open-sesame' });
        const { ttlMs, cacheScope } = JSON.parse(text).result;
        assert.deepEqual([ttlMs > 0, cacheScope], [true, 'private'], method);
    }
}));

test(`${MODERN}, lines: a version that is not offered`, () => overLines(MODERN, async (client) => {
    for (const version of ['v999.0.0', '2025-06-18']) {
        const { data } = await expectError(client, modern(1, 'tools/list', {}, { [`${PREFIX}protocolVersion`]: version }), -32022);
        assert.deepEqual(data, { supported: [MODERN], requested: version });
    }
}));

test(`${MODERN}, HTTP: headers say what the body says`, () => overHttp(MODERN, async ({ call, server }) => {
    const version = (name) => ({ 'MCP-Protocol-Version': name, 'Mcp-Method': 'tools/list' });
    const list = (headers, meta = {}) => call(modern(1, 'tools/list', {}, meta), headers);
    const expectCode = async (got, status, code) => { const { status: seen, answer } = await got; assert.deepEqual([seen, answer.error?.code], [status, code]); };
    const other = { [`${PREFIX}protocolVersion`]: 'v999.0.0' };
    await expectCode(list(version('v999.0.0'), other), 400, -32022);
    await expectCode(list(version(MODERN), other), 400, -32020);
    await expectCode(list(version('v999.0.0')), 400, -32020);
    await expectCode(list({ 'Mcp-Method': 'tools/list' }), 400, -32020);
    await expectCode(list({ 'MCP-Protocol-Version': MODERN }), 400, -32020);
    await expectCode(list({ ...version(MODERN), 'Mcp-Method': 'Tools/list' }), 400, -32020);
    await expectCode(call(request(1, 'tools/list'), version(MODERN)), 400, -32602);
    assert.equal((await list({ 'mcp-protocol-version': ` ${MODERN}\t`, 'MCP-METHOD': 'tools/list', 'Mcp-Session-Id': 'x', 'Last-Event-ID': '1' })).status, 200);
    assert.equal((await call('{"jsonrpc":"2.0","id":1,"result":{}}', { 'MCP-Protocol-Version': MODERN })).status, 400);
    const notify = (params) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/nothing', params });
    for (const params of [{}, { _meta: META }]) {
        assert.equal((await call(notify(params), { 'MCP-Protocol-Version': MODERN })).status, 202);
        await expectCode(call(notify(params), { 'MCP-Protocol-Version': 'v999.0.0' }), 400, -32020);
    }
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'GET', 'DELETE']) {
        const { status, headers } = await fetchOnce(server.port, { method, path: '/mcp', headers: { Accept: 'text/event-stream' } });
        assert.equal(status, 405, method);
        assert.match(headers.allow, /\bPOST\b/);
    }
    assert.equal((await call(modern(1, 'tools/list'), { ...version(MODERN), Accept: 'text/html' })).status, 406);
}));

// A tool with one argument that is repeated in a header of that name.
const repeating = (name, type, header) => ({
    name, description: name, command: ['/bin/cat'], inputSchema: { type: 'object', properties: { at: { type, 'x-mcp-header': header } } },
});
const LONGEST = 'h'.repeat(128);
const headerTools = {
    files: {
        'tools/longest.tool.json': repeating('longest', 'string', LONGEST),
        'tools/number.tool.json': repeating('number', 'integer', 'Number'),
        'tools/longer.tool.json': repeating('longer', 'string', `${LONGEST}h`),
        'tools/twice.tool.json': { ...repeating('twice', 'string', 'A'), inputSchema: { properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } } } },
    },
    env: { MCPGATE_TOOLS_DIR: 'tools' },
};

test(`${MODERN}, HTTP: headers say what arguments say`, () => withHttp(headerTools, async (server) => {
    const call = async (name, args, more) => {
        const body = modern(1, 'tools/call', { name, arguments: args });
        const { status, text } = await post(server.port, '/mcp', body, { ...BOTH, 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name, ...more });
        return [status, JSON.parse(text).error?.code];
    };
    const longest = `Mcp-Param-${LONGEST}`;
    assert.deepEqual(await call('longest', { at: 'x' }, { [longest.toUpperCase()]: 'x' }), [200, undefined]);
    assert.deepEqual(await call('longest', { at: 'x' }, { [longest]: 'y' }), [400, -32020]);
    assert.deepEqual(await call('longest', { at: 'x' }, { [`${longest}h`]: 'x' }), [400, -32020]);
    assert.deepEqual(await call('longest', { at: 'x' }, {}), [400, -32020]);
    assert.deepEqual(await call('longest', {}, {}), [200, undefined]);
    assert.deepEqual(await call('number', { at: 10 }, { 'Mcp-Param-Number': '1e1' }), [200, undefined]);
    assert.deepEqual(await call('number', { at: 10 }, { 'Mcp-Param-Number': '11' }), [400, -32020]);
    assert.deepEqual(await call('longer', { at: 'x' }, { [`${longest}h`]: 'x' }), [200, -32602], 'it is not served');
    assert.match(server.err.text, /file=\S*longer\.tool\.json detail=.*x-mcp-header.* at \/inputSchema\/properties\/at\/x-mcp-header/);
    assert.match(server.err.text, /file=\S*twice\.tool\.json detail=.*duplicate .* at \/inputSchema\/properties\/b\/x-mcp-header/);
}));
