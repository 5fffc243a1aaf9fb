// The log's disk is full: the server keeps answering, counts every lost line and warns once. When there is space again, the
// log continues. The disk is a small tmpfs in a mount namespace of the server's own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fetchOnce, freePort, post } from './http_client.mjs';
import { program, request, sleep, until, withServer } from './server.mjs';

const SIZE = 64 * 1024;
const PAGE = 4096;
const MOUNT = `mkdir disk && mount -t tmpfs -o size=${SIZE} tmpfs disk && exec "$@"`;
const mayMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
const skip = mayMount ? false : 'mounting needs root';

// The server's own disk, seen through its process.
class Disk {
    constructor(server) {
        this.root = path.join(`/proc/${server.child.pid}/root`, server.dir, 'disk');
        this.ballast = path.join(this.root, 'ballast');
    }
    // Leave no byte free.
    fill() {
        const file = fs.openSync(this.ballast, 'a');
        try {
            for (;;) fs.writeSync(file, Buffer.alloc(PAGE));
        } catch (error) {
            assert.equal(error.code, 'ENOSPC');
        } finally {
            fs.closeSync(file);
        }
    }
    empty() { fs.rmSync(this.ballast); }
    // All lines, each whole.
    lines() {
        const dir = path.join(this.root, 'logs/mcp_server/envelope_validation');
        const names = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith('.jsonl')).sort() : [];
        const text = names.map((name) => fs.readFileSync(path.join(dir, name), 'utf8')).join('');
        assert.ok(text === '' || text.endsWith('\n'), 'whole lines');
        return text.split('\n').slice(0, -1).map((line) => JSON.parse(line));
    }
}

async function withDisk(options, work) {
    const port = await freePort();
    const command = ['unshare', '-m', 'sh', '-c', MOUNT, 'sh', program, '--http', `127.0.0.1:${port}`, '--log-dir', 'disk/logs'];
    return withServer({ ...options, command, env: { MCPGATE_LOG_DIR: undefined, ...options.env } }, async (server) => {
        server.port = port;
        await server.said(/mcp:ready /);
        return work(server, new Disk(server));
    });
}

async function lost(server) {
    const { text } = await fetchOnce(server.port, { path: '/metrics' });
    return Number(/^mcpgate_log_lines_lost_total (\d+)$/m.exec(text)[1]);
}

let asked = 0;

async function ask(server, count) {
    for (let i = 0; i < count; i++) {
        const id = ++asked;
        const answer = await post(server.port, '/rpc', request(id, 'list_schemas'));
        assert.equal(answer.status, 200);
        assert.deepEqual(JSON.parse(answer.text), { jsonrpc: '2.0', id, result: { ok: true, schemas: [] } });
    }
}

const told = (server, reason) => server.err.text.match(new RegExp(`reason=${reason} .*`, 'g')) ?? [];

for (const threads of ['1', '4']) {
    test(`a disk that fills up and is emptied again (threads: ${threads})`, { skip }, () => withDisk({ env: { MCPGATE_THREADS: threads } }, async (server, disk) => {
        asked = 0;
        await ask(server, 20);
        await until('20 lines', () => disk.lines().length === 20);
        assert.equal(await lost(server), 0);

        disk.fill();
        await until('a loss', async () => { await ask(server, 20); return await lost(server) > 0; });
        await ask(server, 100);
        assert.ok(disk.lines().length >= 20, 'what was written stays');
        await until('the loss in full', async () => disk.lines().length + await lost(server) === asked);
        const [warning, ...more] = told(server, 'log_lost');
        assert.match(warning, /^reason=log_lost detail=".*disk\/logs: No space left on device"$/);
        assert.deepEqual(more, [], 'told once');

        disk.empty();
        await until('recovery', async () => { await ask(server, 1); await sleep(50); return told(server, 'log_recovered').length > 0; });
        const sum = await lost(server);
        assert.match(told(server, 'log_recovered')[0], new RegExp(`^reason=log_recovered lost=${sum}$`));
        const before = disk.lines().length;
        await ask(server, 20);
        await until('20 more lines', () => disk.lines().length === before + 20);
        assert.equal(await lost(server), sum, 'nothing more is lost');
        assert.equal(disk.lines().length + sum, asked, 'every message is in the log or counted as lost');
        assert.equal(told(server, 'log_lost').length, 1);
        server.kill('SIGTERM');
        assert.equal(await server.exited, 0);
    }));
}

test('a disk that is full from the beginning', { skip }, () => withDisk({}, async (server, disk) => {
    asked = 0;
    disk.fill();
    await ask(server, 200);
    await until('the loss in full', async () => disk.lines().length + await lost(server) === asked);
    assert.ok(await lost(server) > 0);
    disk.empty();
    await until('recovery', async () => { await ask(server, 1); await sleep(50); return told(server, 'log_recovered').length > 0; });
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.equal(told(server, 'log_lost').length, 1);
}));

test('a disk that is full to the end: the server ends as ever', { skip }, () => withDisk({}, async (server, disk) => {
    asked = 0;
    disk.fill();
    await ask(server, 50);
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.match(server.err.text, /mcp:shutdown mode=http /);
}));
