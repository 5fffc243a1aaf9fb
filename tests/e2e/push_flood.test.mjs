// Clients that ask to be told of everything and do not read: each is disconnected, said so, and costs others nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { logLines, request, sleep, until, withServer } from './server.mjs';

const SCHEMAS = 400;
const CLIENTS = 8;
const LISTENERS = 40;
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const schemas = (text) => Object.fromEntries(Array.from({ length: SCHEMAS }, (_, i) => [`schemas/s${i}.schema.json`, text]));
const options = (args) => ({ args, files: schemas('{}'), env: { SYN_SCHEMAS_DIR: 'schemas', MCPGATE_LOG_DIR: 'runs' } });
const uris = Array.from({ length: SCHEMAS }, (_, i) => `mcpgate://schemas/s${i}`);
const ID = 'i'.repeat(200);
const listen = (id) => request(`${ID}${id}`, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris }, _meta: META });
const listeners = Array.from({ length: LISTENERS }, (_, id) => `${listen(id)}\n`).join('');
const peak = (server) => Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]) / 1024;

function changeAll(server) {
    for (const [name, text] of Object.entries(schemas('{"type":"object"}'))) server.write(name, text);
    server.kill('SIGHUP');
}

test('clients on a socket', () => withServer(options(['--socket', 's.sock']), async (server) => {
    const other = await server.connect();
    await other.ask(0, 'list_schemas');
    const peers = [];
    for (let i = 0; i < CLIENTS; i++) {
        const peer = await server.connect();
        peer.socket.write(listeners);
        await until('acknowledgements', () => peer.lines.text.split('acknowledged').length > LISTENERS);
        peer.socket.pause();
        peers.push(peer);
    }
    const before = peak(server);
    changeAll(server); // more than 6 MiB of messages for each
    await server.said(/mcp:warning reason=slow_reader transport=socket detail="disconnected: /);
    for (let i = 0; i < 50; i++) assert.equal((await other.ask(i, 'no_such_tool')).id, i);
    const grown = peak(server) - before;
    assert.ok(grown < 10 * CLIENTS + 32, `memory grew by ${grown} MiB`);
    for (const peer of peers) peer.socket.resume();
    for (const peer of peers) await until('the end of the connection', () => peer.lines.ended);
    await until('lines of the log', () => logLines(server, 'runs').filter(({ error }) => /left more than 4 MiB of notifications unread/.test(error?.message)).length === CLIENTS);
}));

test('the client on standard input and output', () => withServer(options([]), async (server) => {
    server.child.stdin.write(listeners);
    await until('acknowledgements', () => server.out.text.split('acknowledged').length > LISTENERS);
    server.child.stdout.pause();
    changeAll(server);
    await server.said(/mcp:warning reason=slow_reader transport=stdio /);
    await until('the end', () => server.child.exitCode !== null);
}));

test('a client that reads is told all of it', () => withServer(options(['--socket', 's.sock']), async (server) => {
    const peer = await server.connect();
    peer.socket.write(`${listen(1)}\n${listen(2)}\n`);
    await until('acknowledgements', () => peer.lines.text.split('acknowledged').length > 2);
    changeAll(server);
    const told = () => peer.lines.text.split('notifications/resources/updated').length - 1;
    await until('all changes', () => told() === 2 * SCHEMAS);
}));

// Each leaves less than its own limit of 4 MiB unread, but all together would leave 700 MiB.
test('very many clients: all together are bounded, and the slowest are disconnected first', () => withServer({ ...options(['--socket', 's.sock']), env: { ...options([]).env, MCPGATE_THREADS: '1' } }, async (server) => {
    const MANY = 300;
    const SOME = Array.from({ length: 15 }, (_, id) => `${listen(id)}\n`).join('');
    const peers = await Promise.all(Array.from({ length: MANY }, async () => {
        const peer = await server.connect();
        peer.socket.write(SOME);
        await until('acknowledgements', () => peer.lines.text.split('acknowledged').length > 15);
        peer.socket.pause();
        return peer;
    }));
    const other = await server.connect();
    const before = peak(server);
    changeAll(server);
    await server.said(/detail="disconnected: all clients together left more than 256 MiB of notifications unread/);
    for (let i = 0; i < 20; i++) assert.equal((await other.ask(i, 'no_such_tool')).id, i);
    let last = 0;
    await until('all are told', async () => { const was = last; last = peak(server); await sleep(300); return last === was; });
    const grown = last - before;
    assert.ok(grown < 256 + 128, `memory grew by ${grown} MiB`);
    for (const peer of peers) peer.socket.destroy();
}));
