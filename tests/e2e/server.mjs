// A server under test: a process in a directory of its own, and peers that talk to it.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const program = process.env.MCPGATE ?? path.resolve('build/release/bin/mcpgate');
export const soak = process.env.SOAK === '1';
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const request = (id, method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params });

// How long anything may take on a machine that does something else as well.
const PATIENCE_MS = 20000;

export async function until(what, condition) {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
        const value = await condition();
        if (value) return value;
        if (Date.now() > deadline) throw new Error(`waited in vain for ${typeof what === 'function' ? what() : what}`);
        await sleep(5);
    }
}

// What was read of a stream is forgotten when it is as much as this.
const FORGET_BYTES = 64 * 1024 * 1024;

// Splits what comes into lines and hands them out one by one.
class Lines {
    constructor(stream) {
        this.text = '';
        this.taken = 0;
        this.ended = false;
        stream.on('data', (bytes) => { this.text += bytes; });
        stream.on('close', () => { this.ended = true; });
        stream.on('error', () => { this.ended = true; });
    }
    async next() {
        const end = await until('a line', () => {
            const at = this.text.indexOf('\n', this.taken);
            if (at >= 0) return at + 1;
            if (this.ended) throw new Error(`no more lines after ${JSON.stringify(this.text)}`);
            return 0;
        });
        const line = this.text.slice(this.taken, end - 1);
        this.taken = end;
        this.forget();
        return line;
    }
    // A long conversation is not kept whole.
    forget() {
        if (this.taken < FORGET_BYTES) return;
        this.text = this.text.slice(this.taken);
        this.taken = 0;
    }
}

export class Server {
    // options: args, env, files ({name: text}), stdin ('pipe', 'ignore'), fds (more descriptors), command
    constructor(options = {}) {
        this.dir = options.dir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'mcpgate-e2e-'));
        this.socket = path.join(this.dir, 's.sock');
        this.ready = path.join(this.dir, 'ready');
        for (const [name, text] of Object.entries(options.files ?? {})) this.write(name, text);
        const env = { PATH: process.env.PATH, MCP_READY_FILE: this.ready, MCPGATE_LOG_DIR: path.join(this.dir, '.logs') };
        if (soak) env.MCPGATE_LOG_DIR = 'none';
        for (const [name, value] of Object.entries(process.env)) if (/^(A|UB|T)SAN_OPTIONS/.test(name)) env[name] = value;
        const [command, ...words] = options.command ?? [program, ...(options.args ?? [])];
        // several loops, however few processors there are
        if (words.some((word) => word === '--socket' || word === '--http')) env.MCPGATE_THREADS = '2';
        this.child = spawn(command, words, {
            cwd: this.dir,
            env: { ...env, ...options.env },
            stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe', ...(options.fds ?? [])],
        });
        this.out = new Lines(this.child.stdout);
        this.err = new Lines(this.child.stderr);
        this.child.stdin?.on('error', () => {});
        this.exited = new Promise((resolve) => {
            this.child.on('close', (code, signal) => { this.status = signal ?? code; resolve(this.status); });
        });
    }
    write(name, text) {
        const file = path.join(this.dir, name);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text));
    }
    send(text) { this.child.stdin.write(`${text}\n`); }
    async ask(id, method, params) { this.send(request(id, method, params)); return JSON.parse(await this.out.next()); }
    kill(signal) { this.child.kill(signal); }
    async said(pattern) { await until(`${pattern} on standard error`, () => pattern.test(this.err.text) || this.gone()); }
    gone() { if (this.status !== undefined) throw new Error(`exit ${this.status}: ${this.err.text}`); return false; }
    async connect() {
        const socket = await until('a socket that accepts', () => this.status === undefined ? new Promise((resolve) => {
            const peer = net.connect(this.socket);
            peer.once('connect', () => resolve(peer));
            peer.once('error', () => resolve(null));
        }) : this.gone());
        const lines = new Lines(socket);
        return {
            socket,
            lines,
            async ask(id, method, params) { socket.write(`${request(id, method, params)}\n`); return JSON.parse(await lines.next()); },
        };
    }
    left() { return fs.readdirSync(this.dir).filter((name) => name === 's.sock' || name.startsWith('ready')); }
    async end() {
        if (this.status === undefined) { this.kill('SIGKILL'); await this.exited; }
        const wrong = invalidLogLines(this.dir);
        fs.rmSync(this.dir, { recursive: true, force: true });
        if (wrong) throw new Error(`log lines do not fit log.event.schema.json: ${wrong}`);
    }
}

// Node 18 cannot read directories recursively that have sockets in them.
function filesBelow(dir) {
    return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
        const name = path.join(dir, entry.name);
        return entry.isDirectory() ? filesBelow(name) : entry.isFile() ? [name] : [];
    });
}

// Every line that any server of these tests has written must fit the published schema.
const eventSchema = fileURLToPath(new URL('../../schemas/envelope/log.event.schema.json', import.meta.url));
function invalidLogLines(dir) {
    if (!fs.existsSync(dir)) return '';
    const texts = filesBelow(dir).filter((name) => /envelope_validation\/[^.][^/]*$/.test(name)).map((name) => fs.readFileSync(name, 'utf8'));
    // a server that was killed may have left half a line
    const lines = texts.map((text) => text.slice(0, text.lastIndexOf('\n') + 1)).join('');
    if (!lines) return '';
    const args = ['validate', '-s', eventSchema, '--assert-format', '--ndjson', '--format', 'json', '-'];
    const verdict = spawnSync(program, args, { input: lines, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (verdict.status === 0) return '';
    const bad = verdict.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).find(({ ok }) => !ok);
    return bad ? `${JSON.stringify(bad.errors)} in ${lines.split('\n')[bad.line - 1]}` : verdict.stderr;
}

// Processor time a server has used so far.
export function cpuSeconds(server) {
    const fields = fs.readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
}

// Run a test with a server, which is gone afterwards.
export async function withServer(options, work) {
    const server = new Server(options);
    try { return await work(server); } finally { await server.end(); }
}

// A file or directory of a process in /proc. The server forbids dumps, so only root may see some of them: null for others.
function ofProcess(pid, name, read) {
    try {
        return read(`/proc/${pid}/${name}`);
    } catch (error) {
        if (error.code === 'EACCES' && process.getuid() !== 0) return null;
        throw error;
    }
}

// How many descriptors a process has open; 0 where that cannot be seen.
export const descriptors = (pid) => (ofProcess(pid, 'fd', fs.readdirSync) ?? []).length;
// The libraries a process has loaded, as text; those linked to the program where that cannot be seen.
export const libraries = (pid) => ofProcess(pid, 'maps', (file) => fs.readFileSync(file, 'utf8')) ?? spawnSync('ldd', [program]).stdout.toString();

// The lines of a server's newest log that are whole; none before it has one.
export function logLines(server, root) {
    const latest = path.join(server.dir, root, 'mcp_server/envelope_validation/.latest');
    const text = fs.existsSync(latest) ? fs.readFileSync(latest, 'utf8') : '';
    return text.split('\n').slice(0, -1).map((line) => JSON.parse(line));
}
