// A server that speaks HTTP, and requests to it.
import http from 'node:http';
import net from 'node:net';
import { program, withServer } from './server.mjs';

// A port that is free now.
export const freePort = () => new Promise((resolve) => {
    const listener = net.createServer();
    listener.listen(0, '127.0.0.1', () => { const { port } = listener.address(); listener.close(() => resolve(port)); });
});

// Run a test with a server at server.port, and at server.socket too.
export async function withHttp(options, work) {
    const port = await freePort();
    // limit: of open files
    const args = ['--http', `127.0.0.1:${port}`, '--socket', 's.sock', ...(options.args ?? [])];
    const command = options.limit && ['sh', '-c', `ulimit -n ${options.limit}; exec "$@"`, 'sh', program, ...args];
    return withServer({ ...options, args, command }, async (server) => {
        server.port = port;
        await server.said(/mcp:ready /);
        return work(server);
    });
}

// One request: {status, headers, text}.
export const fetchOnce = (port, options, body = '') => new Promise((resolve, reject) => {
    const headers = body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {};
    const asked = http.request({ host: '127.0.0.1', port, agent: false, ...options, headers: { ...headers, ...options.headers } }, (answer) => {
        let text = '';
        answer.on('data', (data) => { text += data; });
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
        answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
});

export const get = (port, path, headers = {}, options = {}) => fetchOnce(port, { path, headers, ...options });
export const post = (port, path, body, headers = {}, options = {}) => fetchOnce(port, { method: 'POST', path, headers, ...options }, body);
