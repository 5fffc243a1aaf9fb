// Hostile clients, and many clients, on the Unix socket and standard input.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { cpuSeconds, descriptors, program, request, Server, sleep, soak, until, withServer } from './server.mjs';

const ON_SOCKET = { args: ['--socket', 's.sock'] };
const MIB = 1024 * 1024;

const status = (server, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(fs.readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]);
const residentKib = (server) => status(server, 'VmRSS');

const open = (server) => new Promise((resolve, reject) => {
    const socket = net.connect(server.socket);
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
});

// Write it all, at the pace of the reader.
const write = (stream, bytes) => new Promise((resolve) => { stream.write(bytes, resolve); });

async function sendEndlessLine(stream, total) {
    const block = Buffer.alloc(MIB, 'x');
    for (let sent = 0; sent < total; sent += block.length) await write(stream, block);
}

const ENDLESS = soak ? 10 * 1024 * MIB : 64 * MIB;

test(`a line of ${ENDLESS / MIB} MiB on a socket: constant memory, one error, others are served`, () => withServer({ ...ON_SOCKET, env: { MCPGATE_LOG_DIR: 'none' } }, async (server) => {
    const good = await server.connect();
    await good.ask(1, 'list_schemas');
    const bad = await server.connect();
    await sendEndlessLine(bad.socket, 2 * MIB);
    assert.equal(JSON.parse(await bad.lines.next()).id, null);
    const before = residentKib(server);
    await sendEndlessLine(bad.socket, ENDLESS);
    assert.equal((await good.ask(2, 'list_schemas')).id, 2);
    assert.ok(residentKib(server) - before < 2048, `${before} KiB became ${residentKib(server)} KiB`);
    await write(bad.socket, '\n');
    assert.equal((await bad.ask(3, 'list_schemas')).id, 3);
}));

test('a long line on standard input: one error, then the next line', () => withServer({}, async (server) => {
    await sendEndlessLine(server.child.stdin, 8 * MIB);
    server.send('');
    assert.equal(JSON.parse(await server.out.next()).id, null);
    assert.equal((await server.ask(4, 'list_schemas')).id, 4);
}));

const REQUESTS = soak ? 10000 : 500;

// Sends all requests without waiting; answers must come in order, with the ids of this peer only.
async function pipeline(server, number) {
    const { socket, lines } = await server.connect();
    for (let i = 0; i < REQUESTS; i++) {
        const method = i % 3 === 0 ? 'ping' : i % 3 === 1 ? 'list_schemas' : 'no_such_method';
        if (!socket.write(`${request(`${number}/${i}`, method)}\n`)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    socket.end();
    for (let i = 0; i < REQUESTS; i++) assert.equal(JSON.parse(await lines.next()).id, `${number}/${i}`);
    await until('the end', () => lines.ended);
    assert.equal(lines.taken, lines.text.length);
}

test(`32 peers with ${REQUESTS} requests each: order and ids are kept`, () => withServer({ ...ON_SOCKET, env: { MCPGATE_THREADS: '4' } }, async (server) => {
    await Promise.all(Array.from({ length: 32 }, (_, number) => pipeline(server, number)));
}));

test('64 descriptors, 1,000 peers: no busy loop, and soon well again', () => withServer(
    { command: ['sh', '-c', `ulimit -n 64; exec ${program} --socket s.sock`] },
    async (server) => {
        const first = await server.connect();
        await first.ask(1, 'list_schemas');
        const crowd = [];
        for (let i = 0; i < 1000; i++) {
            const socket = net.connect(server.socket);
            socket.on('error', () => {});
            socket.write(`${request(i, 'ping')}\n`);
            crowd.push(socket);
        }
        await sleep(500);
        // the first has been idle for longest, so it may have been closed for a new one
        const during = await server.connect();
        assert.equal((await during.ask(2, 'list_schemas')).id, 2);
        const cpu = cpuSeconds(server);
        await sleep(1000);
        assert.ok(cpuSeconds(server) - cpu < 0.6, `${cpuSeconds(server) - cpu} s of a second`);
        for (const socket of crowd) socket.destroy();
        const start = Date.now();
        const next = await server.connect();
        assert.equal((await next.ask(3, 'list_schemas')).id, 3);
        assert.ok(Date.now() - start < 10000, `${Date.now() - start} ms`);
    },
));

test('a peer that does not read: its requests wait, others are served, memory is bounded', () => withServer(ON_SOCKET, async (server) => {
    const good = await server.connect();
    await good.ask(1, 'list_schemas');
    const lazy = await open(server);
    lazy.on('error', () => {});
    lazy.pause();
    const before = residentKib(server);
    const block = `${request('lazy', 'tools/list')}\n`.repeat(1000);
    let blocks = 0;
    const flood = setInterval(() => { if (lazy.writableLength < MIB) { lazy.write(block); blocks++; } }, 1);
    await sleep(1000);
    clearInterval(flood);
    assert.ok(blocks > 0);
    assert.equal((await good.ask(2, 'list_schemas')).id, 2);
    assert.ok(residentKib(server) - before < 8 * 1024, `${before} KiB became ${residentKib(server)} KiB`);
    lazy.destroy();
}));

test('128 descriptors, a backend that does not answer: new peers are served', async () => {
    const backend = net.createServer((socket) => { socket.on('error', () => {}); socket.resume(); });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    const server = new Server({
        command: ['/bin/sh', '-c', 'ulimit -n 128; exec "$@"', 'sh', program, '--socket', 's.sock'],
        env: { SYN_BACKEND_URL: `http://127.0.0.1:${backend.address().port}` },
    });
    try {
        for (let i = 0; i < 20; i++) {
            const peer = await server.connect();
            for (let id = 0; id < 16; id++) {
                peer.socket.write(`${request(id, 'tools/call', { name: 'populate_backend', arguments: { asset: {}, validate_first: false } })}\n`);
            }
        }
        await sleep(200);
        const peer = await server.connect();
        const began = Date.now();
        assert.deepEqual((await peer.ask(1, 'list_schemas')).result, { ok: true, schemas: [] });
        assert.ok(Date.now() - began < 1000, `${Date.now() - began} ms`);
    } finally {
        backend.close();
        await server.end();
    }
});

test('peers that vanish at any moment leave nothing behind', () => withServer(ON_SOCKET, async (server) => {
    const good = await server.connect();
    await good.ask(0, 'list_schemas');
    const before = descriptors(server.child.pid);
    const text = `${request(1, 'tools/list')}\n${request(2, 'ping')}\n`.repeat(3);
    for (let i = 0; i < (soak ? 20000 : 500); i++) {
        const socket = await open(server);
        socket.on('error', () => {});
        socket.write(text.slice(0, (i * 37) % text.length));
        if (i % 3 === 0) await sleep(0);
        socket.destroy();
    }
    assert.equal((await good.ask(1, 'list_schemas')).id, 1);
    await until('all descriptors closed', () => descriptors(server.child.pid) <= before);
}));

test('a peer that has sent all gets all its answers', () => withServer(ON_SOCKET, async (server) => {
    const { socket, lines } = await server.connect();
    socket.end(`${request(1, 'list_schemas')}\n${request(2, 'list_schemas')}`);
    assert.equal(JSON.parse(await lines.next()).id, 1);
    assert.equal(JSON.parse(await lines.next()).id, 2);
    await until('the end', () => lines.ended);
}));

test('by default there is a loop for every two processors', async () => {
    const threads = (loops) => withServer({ ...ON_SOCKET, env: { MCPGATE_THREADS: String(loops) } }, async (server) => {
        const peer = await server.connect();
        await peer.ask(1, 'list_schemas'); // by now all of them run
        return status(server, 'Threads');
    });
    const processors = Number(execFileSync('nproc', { env: { PATH: process.env.PATH } }));
    const expected = Math.min(Math.max(Math.floor(processors / 2), 1), 8);
    const byDefault = await threads(0);
    assert.equal(byDefault, await threads(expected));
    assert.equal(byDefault + 1, await threads(expected + 1));
});
