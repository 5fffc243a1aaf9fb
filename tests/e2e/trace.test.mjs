// W3C Trace Context: a valid traceparent, in a header or in the message, reaches the log, the programs and the backend
// unchanged. An invalid one is dropped.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { post, withHttp } from './http_client.mjs';
import { logLines, request, until } from './server.mjs';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${SPAN}-01`;
const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
const ID = '3fd7d2b1-79d1-4b8e-92c8-105c1ce9b6f7';
const FILES = {
    'schemas/widget.schema.json': { type: 'object' },
    'tools/env.tool.json': {
        name: 'env', version: '1', description: 'd', command: ['/bin/sh', '-c', 'printf \'{"seen":"%s|%s"}\' "$TRACEPARENT" "$TRACESTATE"'], inputSchema: { type: 'object' },
    },
    'tools/own.tool.json': {
        name: 'own', version: '1', description: 'd', command: ['/bin/sh', '-c', 'printf "%s" "$TRACEPARENT"'], output: 'text', inputSchema: { type: 'object' },
        environment: ['TRACEPARENT=mine'],
    },
};

async function withTraces(work) {
    const heard = [];
    const backend = http.createServer((asking, answer) => {
        heard.push([asking.headers.traceparent ?? '', asking.headers.tracestate ?? ''].join('|'));
        asking.resume();
        answer.end('{}');
    });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    const env = {
        SYN_SCHEMAS_DIR: 'schemas', MCPGATE_TOOLS_DIR: 'tools', MCPGATE_LOG_DIR: 'runs', TRACEPARENT: 'of the server',
        SYN_BACKEND_URL: `http://127.0.0.1:${backend.address().port}`,
    };
    try {
        await withHttp({ files: FILES, env }, (server) => work(server, heard));
    } finally {
        backend.close();
    }
}

const linesOf = (server) => logLines(server, 'runs');

// A call of a tool in every dialect that has a place for this.
const calls = (name, args, meta) => [
    request(1, 'tools/call', { name, arguments: args, _meta: meta }),
    request(ID, 'mcp.tool.invoke', { toolId: `mcp.tool:${name}`, arguments: args, _meta: meta }),
    JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name }, params: { ...args, _meta: meta }, artifacts: [] }),
    JSON.stringify({ id: ID, version: '1.0.0', timestamp: '2026-01-02T03:04:05Z', tool: name, payload: args, context: meta }),
];

const overHttp = (server, headers = {}) => async (text) => (await post(server.port, '/rpc', text, headers)).text;
const overSocket = async (server) => {
    const peer = await server.connect();
    return (text) => { peer.socket.write(`${text}\n`); return peer.lines.next(); };
};

// Ask a program and the backend; both and the log must have heard the same.
async function checkCalls(server, heard, ask, meta, parent, state = '') {
    const seen = linesOf(server).length;
    const programs = calls('env', {}, meta);
    const posts = calls('populate_backend', { asset: { schema: 'widget' } }, meta);
    for (const text of programs) {
        const answer = await ask(text);
        assert.ok(answer.includes(`{"seen":"${parent}|${state}"}`), `${text}: ${answer}`);
    }
    heard.length = 0;
    for (const text of posts) await ask(text);
    assert.deepEqual(heard, posts.map(() => `${parent}|${state}`));
    const lines = await until('the lines', () => linesOf(server).length >= seen + programs.length + posts.length && linesOf(server).slice(seen));
    for (const line of lines) {
        assert.equal(line.traceId === TRACE, parent !== '', JSON.stringify(line));
        assert.equal(line.spanId === SPAN, parent !== '', JSON.stringify(line));
    }
}

test('from the message, by a socket and by HTTP', () => withTraces(async (server, heard) => {
    const meta = { traceparent: PARENT, tracestate: STATE };
    await checkCalls(server, heard, await overSocket(server), meta, PARENT, STATE);
    await checkCalls(server, heard, overHttp(server), meta, PARENT, STATE);
    await checkCalls(server, heard, await overSocket(server), { traceparent: PARENT }, PARENT);
}));

test('from headers', () => withTraces(async (server, heard) => {
    await checkCalls(server, heard, overHttp(server, { Traceparent: PARENT, Tracestate: STATE }), {}, PARENT, STATE);
    await checkCalls(server, heard, overHttp(server, { traceparent: PARENT }), {}, PARENT);
}));

test('the message wins over headers, unless it makes no sense', () => withTraces(async (server, heard) => {
    const other = { traceparent: '00-11111111111111111111111111111111-2222222222222222-00', tracestate: 'x=y' };
    await checkCalls(server, heard, overHttp(server, other), { traceparent: PARENT, tracestate: STATE }, PARENT, STATE);
    await checkCalls(server, heard, overHttp(server, { traceparent: PARENT, tracestate: STATE }), { traceparent: 'nonsense', tracestate: 'x=y' }, PARENT, STATE);
}));

const NONSENSE = [
    '', 'nonsense', PARENT.toUpperCase(), `${PARENT}-more`, `ff-${TRACE}-${SPAN}-01`, `00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`, `01-${TRACE}-${SPAN}-01-${'x'.repeat(200)}`,
];

test('nonsense is left out, and the message served', () => withTraces(async (server, heard) => {
    for (const traceparent of NONSENSE) {
        await checkCalls(server, heard, overHttp(server, traceparent ? { traceparent } : {}), { traceparent, tracestate: STATE }, '');
    }
    const ask = await overSocket(server);
    await checkCalls(server, heard, ask, { traceparent: 7, tracestate: STATE }, '');
    await checkCalls(server, heard, ask, { tracestate: STATE }, '');
    await checkCalls(server, heard, ask, { traceparent: PARENT, tracestate: 'a\r\nX-Injected: 1' }, PARENT);
    await checkCalls(server, heard, ask, { traceparent: PARENT, tracestate: 'x'.repeat(513) }, PARENT);
}));

test('a descriptor that sets the variable has the last word', () => withTraces(async (server) => {
    const answer = await post(server.port, '/rpc', request(1, 'tools/call', { name: 'own', arguments: {} }), { traceparent: PARENT });
    assert.equal(JSON.parse(answer.text).result.content[0].text, 'mine');
}));
