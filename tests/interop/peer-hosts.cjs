// Runs inside the peer's own Jest, before each of its test files: points its configuration to the local network.
const { join } = require('node:path')

const { api, upload, gateway, keyRouter } = JSON.parse(process.env.CAIRN_TEST_HOSTS)
const keys = { lighthouseBLSNode: keyRouter, lighthouseAuthNode: keyRouter }
const configs = {
  '@lighthouse-web3/sdk': () => {
    const { lighthouseConfig } = require(join(process.cwd(), 'src/lighthouse.config'))
    Object.assign(lighthouseConfig, {
      ...keys,
      lighthouseAPI: api,
      lighthouseNode: upload,
      lighthouseGateway: gateway,
    })
    Object.assign(require(join(process.cwd(), 'node_modules/@lighthouse-web3/kavach/dist/config')).default, keys)
  },
  '@lighthouse-web3/kavach': () => Object.assign(require(join(process.cwd(), 'src/config')).default, keys),
}
configs[require(join(process.cwd(), 'package.json')).name]()
