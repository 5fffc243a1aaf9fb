// Hostile clients, in a thread of their own so that they do not slow down the test that measures a good client. Some send a
// head that never ends, some send many requests and read nothing. A client that is closed connects again.
import net from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const DRIBBLE_MS = 200;
const HEAD = 'POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const GREEDY = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(500);

function keepOpen(port, clients, number, begin) {
    const socket = net.connect(port, '127.0.0.1', () => { socket.isOpen = true; socket.write(begin); });
    socket.pause(); // never read
    clients[number] = socket;
    socket.on('error', () => {});
    socket.on('close', () => { if (clients[number] === socket) keepOpen(port, clients, number, begin); });
}

function run({ port, dribbling, greedy }) {
    const clients = [];
    for (let i = 0; i < dribbling; i++) keepOpen(port, clients, i, HEAD);
    for (let i = 0; i < greedy; i++) keepOpen(port, clients, dribbling + i, GREEDY);
    const open = () => clients.filter((socket) => socket.isOpen && !socket.destroyed).length;
    setInterval(() => { for (const socket of clients.slice(0, dribbling)) if (socket.isOpen) { socket.write('X-A: b\r\n'); socket.resume(); } }, DRIBBLE_MS);
    parentPort.on('message', () => parentPort.postMessage(open()));
}

if (!isMainThread) run(workerData);

export class SlowClients {
    constructor(port, dribbling, greedy) {
        this.worker = new Worker(new URL(import.meta.url), { workerData: { port, dribbling, greedy } });
    }
    // How many of them have a connection.
    open() {
        return new Promise((resolve, reject) => {
            this.worker.once('message', resolve);
            this.worker.once('error', reject);
            this.worker.postMessage('how many');
        });
    }
    end() { return this.worker.terminate(); }
}
