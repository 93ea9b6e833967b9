/**
 * Node's HTTP module without its web clients. An `import` of `node:http` reads every export, `WebSocket` included, which
 * loads all of `fetch`: 14 MiB and 60 ms per process (Node 24.21).
 */
export const { createServer, IncomingMessage, request, STATUS_CODES } = process.getBuiltinModule('node:http')
