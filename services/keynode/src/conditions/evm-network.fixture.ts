import { parseConditions } from '@cairn/protocol'
import { type Anvil, type Compiled, startAnvil } from '@cairn/service/anvil-fixture'
import type { Hex } from 'viem'
import { parseChains } from './chains.ts'
import { compile } from './compile.fixture.ts'
import { type ConditionResult, type Conditions, createConditions } from './evaluate.ts'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
contract Coin is ERC20("Coin", "C") {
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}
contract Ticket is ERC721("Ticket", "T") {
  function mint(address to, uint256 id) external { _mint(to, id); }
}
contract Badge is ERC1155("") {
  function mint(address to, uint256 id, uint256 amount) external { _mint(to, id, amount, ""); }
}
contract Odd {
  error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
  string url;
  address member;
  constructor(string memory to, address who) { url = to; member = who; }
  function isMember(address who) external view returns (bool) { return who == member; }
  function two() external pure returns (uint256, bool) { return (7, true); }
  function nothing() external pure {}
  function seven() external pure returns (uint256) { return 7; }
  function small() external pure returns (int8) { return -5; }
  function tag() external pure returns (bytes4) { return 0x12345678; }
  function tags() external pure returns (bytes4[] memory list) { list = new bytes4[](2); list[0] = list[1] = 0x12345678; }
  function many(uint256 count) external pure returns (uint256[] memory) { return new uint256[](count); }
  function echo(uint8[] calldata a, bytes32 b, int16 c, bool d) external pure returns (int256) {
    return int256(uint256(a[1])) + int256(uint256(uint8(b[31]))) + c + (d ? int256(1000) : int256(0));
  }
  function gas() external view returns (uint256) { return gasleft(); }
  function spin() external pure returns (uint256 n) { while (true) n++; }
  function bomb() external pure returns (uint256) { assembly { revert(0, 500000) } }
  function fail() external pure returns (uint256) { require(false, "no"); return 1; }
  function crash() external pure returns (uint256) { assembly { invalid() } }
  function lookup() external view returns (uint256) {
    string[] memory urls = new string[](1);
    urls[0] = url;
    revert OffchainLookup(address(this), urls, "", this.seven.selector, "");
  }
  function dirty() external pure returns (uint256) { assembly { mstore(0, not(0)) return(0, 32) } }
}`

/** Defaults of every test condition. */
export const common = { id: 1, chain: 'local', returnValueTest: { comparator: '>=', value: '1' } }

export const compared = (comparator: string, value: unknown) => ({ returnValueTest: { comparator, value } })

/** A node with token contracts, of which `holder` owns tokens and `stranger` none. */
export type EvmNetwork = AsyncDisposable & {
  anvil: Anvil
  contract(name: string): Compiled
  coin: Hex
  ticket: Hex
  badge: Hex
  holder: Hex
  stranger: Hex
  /** A condition on the coin, and one on a contract with unusual methods. */
  erc20(part?: object): object
  custom(method: string, outputType: string, part?: object): object
  /** Queries this node, or other endpoints, without confirmations. `pass` advances the clock by a minute. */
  open(settings?: object, rpcUrls?: readonly string[]): Opened
  check(condition: object, identity?: string, dynamicData?: object): Promise<Checked>
}
export type Opened = { conditions: Conditions; pass(): void }
export type Checked = { isMet: string; results: ConditionResult[]; first: ConditionResult | undefined }

/** Starts the node. `elsewhere` is the URL to which one contract redirects its readers. */
export async function startEvmNetwork(elsewhere = 'http://127.0.0.1:9'): Promise<EvmNetwork> {
  const contract = compile(source)
  const anvil = await startAnvil()
  const [, holder, stranger] = anvil.accounts
  if (holder === undefined || stranger === undefined) throw new Error('anvil has no accounts')
  const coin = await anvil.deploy(contract('Coin'))
  const ticket = await anvil.deploy(contract('Ticket'))
  const badge = await anvil.deploy(contract('Badge'))
  const odd = await anvil.deploy(contract('Odd'), [elsewhere, holder])
  await anvil.send(contract('Coin'), coin, 'mint', [holder, 2n ** 60n])
  await anvil.send(contract('Ticket'), ticket, 'mint', [holder, 9007199254740993n])
  await anvil.send(contract('Badge'), badge, 'mint', [holder, 1n, 5n])
  await anvil.send(contract('Badge'), badge, 'mint', [holder, 2n, 7n])

  const open = (settings: object = {}, rpcUrls: readonly string[] = [anvil.url]): Opened => {
    let now = Date.now()
    const clock = { now: () => now }
    const chain = { family: 'evm', chainId: 31337, rpcUrls, confirmations: 0, aliases: ['Optimism'], ...settings }
    const chains = parseChains(JSON.stringify({ chains: { Local: chain } }))
    const conditions = createConditions({ chains, clock })
    return {
      conditions,
      pass() {
        now += 61_000
      },
    }
  }
  return {
    anvil,
    contract,
    coin,
    ticket,
    badge,
    holder,
    stranger,
    erc20: (part = {}) => ({
      ...common,
      standardContractType: 'ERC20',
      contractAddress: coin,
      method: 'balanceOf',
      parameters: [':userAddress'],
      ...part,
    }),
    custom: (method, outputType, part = {}) => ({
      ...common,
      standardContractType: 'Custom',
      contractAddress: odd,
      method,
      parameters: [],
      inputArrayType: [],
      outputType,
      ...part,
    }),
    open,
    check: (condition, identity = holder, dynamicData = {}) =>
      checkAll(open().conditions, [condition], '', identity, dynamicData),
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose](),
  }
}

/** Checks an unparsed condition list. */
export async function checkAll(
  conditions: Conditions,
  list: readonly object[],
  aggregator: string,
  identity: string,
  dynamicData: object = {},
): Promise<Checked> {
  const set = parseConditions({ conditions: list, aggregator })
  const { isMet, results } = await conditions.check(set, identity, dynamicData)
  return { isMet, results, first: results[0] }
}
