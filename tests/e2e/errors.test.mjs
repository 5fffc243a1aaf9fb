// What clients are told when something is wrong: messages that name it, and a tool's own error codes in every dialect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, post, withHttp } from './http_client.mjs';
import { withServer } from './server.mjs';

const OWN = { code: 'DISK.FULL', message: 'no space left', details: { free: 0 } };
const tool = (name, script, more = {}) => [`tools/${name}.tool.json`, {
    name, version: '1', description: name, command: ['/bin/sh', '-c', script], inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }, ...more,
}];
const FILES = Object.fromEntries([
    tool('own', `echo '${JSON.stringify({ schema_version: 'mcp.envelope.v0.1', result: { half: 1 }, errors: [OWN] })}'; exit 3`),
    tool('odd', `echo '{"schema_version":"mcp.envelope.v0.1","result":null,"errors":[{"code":7,"details":[]},5]}'; exit 3`),
    tool('canonical', `echo '${JSON.stringify({ schema_version: 'mcp.envelope.v0.1', result: null, errors: [{ code: 'INVALID_TOOL_INPUT', message: 'n is odd' }] })}'; exit 1`),
    tool('crash', 'exit 4'),
    tool('strict', `echo '{"sum":1}'`, { outputSchema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'], additionalProperties: false } }),
]);
const SETTINGS = { files: FILES, env: { MCPGATE_TOOLS_DIR: 'tools' } };
const envelope = (name, payload) => JSON.stringify({ id: 'q', version: '1.0.0', timestamp: '2026-01-01T00:00:00Z', tool: name, payload });
const initialize = (server, protocolVersion) => server.ask(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } });

test("a tool's own error code is kept in every dialect", () => withHttp(SETTINGS, async (server) => {
    const ref = async (name) => JSON.parse((await post(server.port, '/v1/invoke', envelope(name, { n: 1 }))).text);
    const own = await ref('own');
    assert.deepEqual(own.status, { code: 'error', http: 500, message: 'Tool execution failed with exit code 3.' });
    assert.deepEqual(own.errors, [{ code: OWN.code, message: OWN.message, detail: OWN.details }]);
    assert.deepEqual((await ref('crash')).errors.map(({ code }) => code), ['ADAPTER.EXECUTION.FAILED']);
    const odd = await ref('odd');
    assert.deepEqual(odd.errors, [{ code: 'ADAPTER.EXECUTION.FAILED', message: odd.status.message, detail: { exit_code: 3 } }], 'errors without code and message do not hide the failure');

    const env = async (name) => JSON.parse((await post(server.port, `/mcp/tool/mcp.tool:${name}`, '{"arguments":{"n":1}}')).text).error;
    const error = await env('own');
    assert.deepEqual([error.code, error.message, error.details.errors], ['INTERNAL_ERROR', 'Internal error', [OWN]]);
    assert.deepEqual((await env('crash')).details.errors, [
        { code: 'ADAPTER.EXECUTION.FAILED', message: 'Tool execution failed with exit code 4.', details: { exit_code: 4 } },
    ]);
    const answer = await post(server.port, '/mcp/tool/mcp.tool:canonical', '{"arguments":{"n":1}}');
    assert.deepEqual([answer.status, JSON.parse(answer.text).error.code], [422, 'INVALID_TOOL_INPUT'], 'a canonical code of its own is the answer');
    const peer = await server.connect();
    const invoked = await peer.ask('a', 'mcp.tool.invoke', { toolId: 'mcp.tool:own', arguments: { n: 1 } });
    assert.deepEqual([invoked.error.code, invoked.error.data.errors], [-32603, [OWN]]);
    assert.deepEqual((await peer.ask(1, 'own', { n: 1 })).result.errors, [OWN]);
    peer.socket.destroy();
}));

test('messages of errors name what is wrong', () => withServer(SETTINGS, async (server) => {
    await initialize(server, '2025-06-18');
    const message = async (method, params) => (await server.ask(1, method, params)).error.message;
    assert.equal(await message('tools/call', { name: 'nosuch' }), 'Unknown tool "nosuch"');
    assert.equal(await message('prompts/get', { name: 'nosuch' }), 'Unknown prompt "nosuch"');
    assert.equal(await message('resources/read', { uri: 'mcpgate://schemas/x' }), 'Resource not found: "mcpgate://schemas/x"');
    assert.equal(await message('tools/nope', {}), 'Method not found: "tools/nope"');
    assert.equal(await message('tools/call', { name: 5 }), 'Invalid params: /params/name: expected string');
    assert.equal(await message('tools/list', { cursor: 'x' }), 'Invalid params: unknown cursor');
    assert.equal(await message('tools/call', { name: 'strict', arguments: {} }), 'Invalid params: /params/arguments/n: missing property "n"');
    const long = await message('tools/call', { name: 'é'.repeat(5000) });
    assert.ok(long.startsWith('Unknown tool "éé') && long.length < 300, long);
    // those that the documents fix stay
    assert.equal((await server.ask(1, '', {})).error.message, 'Invalid Request');
    assert.equal((await server.ask('a', 'mcp.tool.invoke', { toolId: 'nosuch' })).error.message, 'Unknown tool');
}));

test('a resource that is not there is named in the data, whatever the version', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
        await withServer(SETTINGS, async (server) => {
            await initialize(server, version);
            const { error } = await server.ask(1, 'resources/read', { uri: 'mcpgate://schemas/x' });
            assert.deepEqual([error.code, error.data], [-32002, { uri: 'mcpgate://schemas/x' }]);
        });
    }
});

test('refused arguments are not structured content', () => withServer({ ...SETTINGS, env: { ...SETTINGS.env, MCPGATE_LOG_DIR: 'runs' } }, async (server) => {
    await initialize(server, '2025-11-25');
    for (const [name, args, path] of [['strict', {}, '/n'], ['get_schema', { name: 5 }, '/name']]) {
        const { result } = await server.ask(1, 'tools/call', { name, arguments: args });
        assert.deepEqual(Object.keys(result), ['content', 'isError']);
        assert.equal(result.isError, true);
        assert.deepEqual(JSON.parse(result.content[0].text).errors.map((error) => error.path), [path]);
    }
    const told = JSON.parse((await server.ask(2, 'resources/read', { uri: 'mcpgate://diagnostics' })).result.contents[0].text);
    const all = told.mismatches.map(({ status, pointer, message }) => [status, pointer, message]);
    assert.ok(all.some(([status, pointer, text]) => status === 'validation_failed' && pointer === '/params/arguments/name' && text === 'expected string'), JSON.stringify(all));
}));

test('the version of the OpenAPI document is that of the envelope schemas', () => withHttp(SETTINGS, async (server) => {
    assert.equal(JSON.parse((await get(server.port, '/openapi.json')).text).info.version, '1.0.0');
    assert.equal(JSON.parse((await get(server.port, '/v1/tools')).text).version, '1.0.0');
}));
