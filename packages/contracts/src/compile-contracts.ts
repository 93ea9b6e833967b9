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
/** The input of the compiler: docs.soliditylang.org, "Compiler Input and Output JSON Description". */
type StandardInput = { language: 'Solidity'; sources: Record<string, { content: string }>; settings: object }
type Output = {
  errors?: { severity: 'error' | 'warning' | 'info'; formattedMessage: string }[]
  contracts: Record<string, Record<string, CompiledContract>>
}

/** The parts of a contract that deployments and clients need. */
export type ContractArtifact = { name: string; abi: readonly object[]; bytecode: string; deployedBytes: number }

const paymentsTarget = { file: 'Payments.sol', evmVersion: 'paris' }

/**
 * The sources, the oldest EVM version they run on, and the contracts to publish (all of the source by default): the payment contract runs on every chain, the stand-ins of
 * local networks need a newer one.
 */
const targets: readonly { file: string; evmVersion: string; names?: readonly string[] }[] = [
  { file: 'LocalPriceFeed.sol', evmVersion: 'paris', names: ['LocalPriceFeed'] },
  { file: 'LocalTokens.sol', evmVersion: 'cancun' },
  { ...paymentsTarget, names: ['Payments'] },
]

/**
 * Compiles all contracts with the optimiser on. The same sources produce the same bytes: no metadata hash is appended.
 * @throws Error with the message of the compiler for every error and warning
 */
function compileContracts(): ContractArtifact[] {
  return targets.flatMap(({ file, evmVersion, names }) => {
    const source = readFileSync(join(folder, file), 'utf8')
    const contracts = compileSource(file, source, evmVersion)
    return (names ?? Object.keys(contracts).sort()).map((name) => {
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
  return compileInput(inputOf(file, content, evmVersion)).contracts[file] ?? {}
}

const inputOf = (file: string, content: string, evmVersion: string): StandardInput => ({
  language: 'Solidity',
  sources: { [file]: { content } },
  settings: {
    evmVersion,
    optimizer: { enabled: true, runs: 10_000 },
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
})

/** Compiles an input; `imported` receives the sources that it does not contain. */
function compileInput(input: StandardInput, imported: StandardInput['sources'] = {}): Output {
  const findImport = (path: string) => {
    const content = readFileSync(require.resolve(path), 'utf8')
    imported[path] = { content }
    return { contents: content }
  }
  const output: Output = JSON.parse(compiler().compile(JSON.stringify(input), { import: findImport }))
  const failures = (output.errors ?? []).filter(({ severity }) => severity !== 'info')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return output
}

type Compiler = { compile(input: string, callbacks: object): string; version(): string }
const compiler = (): Compiler => require('solc')

/** Returns the module with the source of the payment contract, whole, as explorers compile it. */
function generateSource(): string {
  const { file, evmVersion } = paymentsTarget
  const input = inputOf(file, readFileSync(join(folder, file), 'utf8'), evmVersion)
  const imported: StandardInput['sources'] = {}
  compileInput(input, imported)
  const whole = { ...input, sources: { ...input.sources, ...sortByName(imported) } }
  // The name of a release, as explorers list it: without the build of the compiler.
  const compilerVersion = `v${/^\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}/.exec(compiler().version())?.[0] ?? ''}`
  const source = { contract: `${file}:Payments`, compilerVersion, input: whole }
  return `/** What explorers require to verify the payment contract: its name, the compiler, and the standard JSON input. */\nexport const paymentsSource = ${JSON.stringify(source)}\n`
}

const sortByName = (sources: StandardInput['sources']): StandardInput['sources'] =>
  Object.fromEntries(Object.entries(sources).sort(([one], [other]) => (one < other ? -1 : 1)))

const note = '// Written by `npm run generate` from contracts/. Do not edit.\n\n'

/** Returns the generated files: ABIs, bytecodes, and the source of the payment contract. */
export function generateContractFiles(): { abis: string; bytecodes: string; source: string } {
  const artifacts = compileContracts()
  const abis = artifacts.map(
    ({ name, abi }) => `export const ${constantName(name)}Abi = ${JSON.stringify(abi)} as const\n`,
  )
  const bytecodes = artifacts.map(
    ({ name, bytecode }) => `export const ${constantName(name)}Bytecode = '${bytecode}'\n`,
  )
  return { abis: note + abis.join('\n'), bytecodes: note + bytecodes.join('\n'), source: note + generateSource() }
}

/** `LocalUSDC` becomes `localUsdc`. */
function constantName(name: string): string {
  const words = name.replace(/[A-Z]{2,}/g, (word) => word[0] + word.slice(1).toLowerCase())
  return words[0]?.toLowerCase() + words.slice(1)
}
