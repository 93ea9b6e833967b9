import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

// Uses the JavaScript build of the compiler from registry packages: nothing is downloaded.

const require = createRequire(import.meta.url)
const folder = resolve(import.meta.dirname, '../contracts')

/** A contract as the compiler returns it. */
export type CompiledContract = {
  abi: readonly object[]
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
}
type Output = {
  errors?: { severity: 'error' | 'warning' | 'info'; formattedMessage: string }[]
  contracts: Record<string, Record<string, CompiledContract>>
}

/** The parts of a contract that deployments and clients need. */
export type ContractArtifact = { name: string; abi: readonly object[]; bytecode: string; deployedBytes: number }

/**
 * The contracts and the oldest EVM version they run on: the payment contract runs on every chain, the stand-ins of
 * local networks need a newer one.
 */
const targets = [
  { file: 'LocalPriceFeed.sol', evmVersion: 'paris', names: ['LocalPriceFeed'] },
  { file: 'LocalTokens.sol', evmVersion: 'cancun', names: ['LocalDAI', 'LocalUSDC', 'LocalUSDT'] },
  { file: 'Payments.sol', evmVersion: 'paris', names: ['Payments'] },
]

/**
 * Compiles all contracts with the optimiser on. The same sources produce the same bytes: no metadata hash is appended.
 * @throws Error with the message of the compiler for every error and warning
 */
export function compileContracts(): ContractArtifact[] {
  return targets.flatMap(({ file, evmVersion, names }) => {
    const source = readFileSync(join(folder, file), 'utf8')
    const contracts = compileSource(file, source, evmVersion)
    return names.map((name) => {
      const contract = contracts[name]
      if (contract === undefined) throw new Error(`Contract ${name} does not exist`)
      const { abi, evm } = contract
      const { bytecode, deployedBytecode } = evm
      return { name, abi, bytecode: `0x${bytecode.object}`, deployedBytes: deployedBytecode.object.length / 2 }
    })
  })
}

/**
 * Compiles one source, which may import the contracts of OpenZeppelin.
 * @throws Error as above
 */
export function compileSource(file: string, content: string, evmVersion = 'cancun'): Record<string, CompiledContract> {
  const { compile }: { compile(input: string, callbacks: object): string } = require('solc')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const findImport = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output: Output = JSON.parse(compile(JSON.stringify(input), { import: findImport }))
  const faults = (output.errors ?? []).filter(({ severity }) => severity !== 'info')
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return output.contracts[file] ?? {}
}

const note = '// Written by `npm run generate` from contracts/. Do not edit.\n\n'

/** Returns the two generated files: ABIs, and bytecodes. */
export function generateContractFiles(): { abis: string; bytecodes: string } {
  const artifacts = compileContracts()
  const abis = artifacts.map(
    ({ name, abi }) => `export const ${constantName(name)}Abi = ${JSON.stringify(abi)} as const\n`,
  )
  const bytecodes = artifacts.map(
    ({ name, bytecode }) => `export const ${constantName(name)}Bytecode = '${bytecode}'\n`,
  )
  return { abis: note + abis.join('\n'), bytecodes: note + bytecodes.join('\n') }
}

/** `LocalUSDC` becomes `localUsdc`. */
function constantName(name: string): string {
  const words = name.replace(/[A-Z]{2,}/g, (word) => word[0] + word.slice(1).toLowerCase())
  return words[0]?.toLowerCase() + words.slice(1)
}
