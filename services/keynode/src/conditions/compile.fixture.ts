import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Compiled } from '@cairn/service/anvil-fixture'

const require = createRequire(import.meta.url)

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: Compiled['abi']; evm: { bytecode: { object: string } } }>>
}

/** Compiles Solidity that may import OpenZeppelin's contracts; returns a look-up of contracts by name. */
export function compile(source: string): (name: string) => Compiled {
  const { compile: run }: { compile(input: string, callbacks: object): string } = require('solc')
  const input = {
    language: 'Solidity',
    sources: { 'test.sol': { content: source } },
    settings: { evmVersion: 'cancun', outputSelection: { 'test.sol': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const findImport = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output: Output = JSON.parse(run(JSON.stringify(input), { import: findImport }))
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return (name) => {
    const contract = output.contracts?.['test.sol']?.[name]
    if (contract === undefined) throw new Error(`there is no contract ${name}`)
    return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
  }
}
