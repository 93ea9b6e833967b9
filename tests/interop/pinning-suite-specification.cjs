// Runs inside the public suite of the Pinning Service API: reads the specification from a file instead of GitHub.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const { CAIRN_TEST_PACKAGES: packages, CAIRN_TEST_SPECIFICATION: specification } = process.env
const parser = createRequire(join(packages, 'oas2joi/index.js'))('swagger-parser')
const dereference = parser.dereference.bind(parser)
parser.dereference = () => dereference(specification)
