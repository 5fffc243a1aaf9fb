// A request that stays open for news does not keep a process alive whose input has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withServer } from './server.mjs';

const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
};
const listen = (id) => JSON.stringify({
    jsonrpc: '2.0', id, method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: META },
});

for (const end of ['\n', '']) {
    test(`the last line listens, ${end ? 'with' : 'without'} its end`, () => withServer({ files: {}, env: {} }, async (server) => {
        server.child.stdin.end(listen(1) + end);
        assert.equal(await server.exited, 0);
    }));
}
