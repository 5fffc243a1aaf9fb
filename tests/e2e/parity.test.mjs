// One message on every transport: what is the same, what the transport adds, and what the log says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, post, withHttp } from './http_client.mjs';
import { logLines, request, until } from './server.mjs';

const tool = (name, script, more = {}) => ({
    [`tools/${name}.tool.json`]: {
        name, version: '1', description: name, command: ['/bin/sh', '-c', script], inputSchema: { type: 'object' }, ...more,
    },
});
const files = {
    ...tool('lines', 'printf \'{ "schema_version": "mcp.envelope.v0.1",\\n\\t"result": [1.0,\\r\\n2] }\\n\''),
    ...tool('wrong', 'echo "{}"', { outputSchema: { type: 'object', required: ['n'] } }),
    ...tool('crash', 'exit 3'),
};
const settings = { files, env: { MCPGATE_TOOLS_DIR: 'tools', MCPGATE_LOG_DIR: 'logs' } };
const wrapping = (name) => JSON.stringify({
    schema_version: 'mcp.request.v0.1', tool: { name }, params: {}, artifacts: [],
});
const tooLarge = `"${'x'.repeat(1024 * 1024)}"`;

async function logged(server, count) {
    await until(`${count} lines in the log`, () => logLines(server, 'logs').length >= count);
    return logLines(server, 'logs');
}

test('an envelope loses its line breaks only where answers are lines', () => withHttp(settings, async (server) => {
    const peer = await server.connect();
    peer.socket.write(`${wrapping('lines')}\n`);
    assert.equal(await peer.lines.next(), '{ "schema_version": "mcp.envelope.v0.1",\t"result": [1.0,2] }');
    const answer = await post(server.port, '/rpc', wrapping('lines'));
    assert.equal(answer.text, '{ "schema_version": "mcp.envelope.v0.1",\n\t"result": [1.0,\r\n2] }');
    peer.socket.destroy();
}));

test('a message that is too large is logged on every transport', () => withHttp(settings, async (server) => {
    const refused = { ok: false, reason: 'validation_failed', errors: [{ path: '', msg: 'payload_too_large' }] };
    const peer = await server.connect();
    peer.socket.write(`${tooLarge}\n`);
    assert.deepEqual(JSON.parse(await peer.lines.next()), { jsonrpc: '2.0', id: null, result: refused });
    peer.socket.destroy();
    for (const route of ['/rpc', '/mcp', '/mcp/tool/list_schemas']) {
        const answer = await post(server.port, route, tooLarge, { Accept: 'application/json, text/event-stream' });
        assert.equal(answer.status, 413, route);
        assert.deepEqual(JSON.parse(answer.text), refused, route);
    }
    const envelope = await post(server.port, '/v1/invoke', tooLarge);
    assert.equal(envelope.status, 413);
    assert.equal(JSON.parse(envelope.text).status.http, 413);
    for (const line of await logged(server, 5)) {
        assert.equal(line.stage, 'frame');
        assert.notEqual(line.status, 'ok');
    }
}));

test('the log tells a tool that failed from one that put out the wrong thing', () => withHttp(settings, async (server) => {
    for (const name of ['crash', 'wrong']) {
        const answer = await post(server.port, `/mcp/tool/${name}`, '{"arguments":{}}');
        assert.equal(answer.status, 500, answer.text);
    }
    const stages = Object.fromEntries((await logged(server, 2)).map((line) => [line.metadata.toolId, line.stage]));
    assert.deepEqual(stages, { crash: 'tool', wrong: 'output' });
}));

test('a request envelope is answered with a response envelope, also when it is refused', () => withHttp(
    { ...settings, env: { ...settings.env, MCPGATE_TOKEN: 'token' } },
    async (server) => {
        const known = { Authorization: 'Bearer token' };
        for (const [status, options, headers] of [
            [401, {}, {}],
            [403, {}, { ...known, Origin: 'http://elsewhere.example' }],
            [405, { method: 'PUT' }, known],
            [415, {}, { ...known, 'Content-Type': 'text/plain' }],
        ]) {
            const answer = await post(server.port, '/v1/invoke', '{}', headers, options);
            assert.equal(answer.status, status);
            const envelope = JSON.parse(answer.text);
            assert.deepEqual(Object.keys(envelope), ['id', 'version', 'status', 'timestamp', 'errors']);
            assert.deepEqual([envelope.status.code, envelope.status.http], ['error', status]);
        }
        const other = await post(server.port, '/rpc', '{}');
        assert.deepEqual(Object.keys(JSON.parse(other.text)), ['error']);
    },
));

test('the log knows whose task a request envelope is part of', () => withHttp(settings, async (server) => {
    const envelope = {
        id: 'r', version: '1.0.0', timestamp: '2025-10-13T15:10:00Z', tool: 'list_schemas', payload: {},
        context: { task_id: 'task-1', agent: 'Researcher' },
    };
    assert.equal((await post(server.port, '/v1/invoke', JSON.stringify(envelope))).status, 200);
    const [line] = await logged(server, 1);
    assert.deepEqual([line.agentId, line.taskId, line.stepId], ['Researcher', 'task-1', null]);
}));

test('an unknown id is not found, however it is spelled', () => withHttp(settings, async (server) => {
    for (const id of ['nope', 'a%2Fb', '..%2F..%2Fnope', '%2e%2e', 'a%5Cb', 'n%C3%B6pe']) {
        const called = await post(server.port, `/mcp/tool/${id}`, '{"arguments":{}}');
        assert.equal(called.status, 404, id);
        assert.equal(JSON.parse(called.text).error.code, 'TOOL_NOT_FOUND', id);
        const asked = await get(server.port, `/mcp/prompt/${id}`);
        assert.equal(asked.status, 404, id);
        assert.match(JSON.parse(asked.text).error.code, /^[A-Z_]+$/, id);
    }
    const resource = await post(server.port, '/rpc', request(1, 'resources/read', { uri: 'mcpgate://schemas/nope' }));
    assert.equal(resource.status, 404);
    assert.equal(JSON.parse(resource.text).error.code, -32002);
}));
