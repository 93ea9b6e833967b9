import type { ConditionsInput } from '@cairn/sdk'

/** Values of a template; a missing value leaves a descriptive placeholder. */
export type TemplateValues = {
  chain: string | undefined
  contract: string | undefined
  min: string | undefined
  tokenId: string | undefined
}

type Template = (values: TemplateValues) => ConditionsInput

const user = ':userAddress'
const contractOf = ({ contract }: TemplateValues) => contract ?? `0x${'0'.repeat(40)}`
const evm = (condition: Record<string, unknown>): ConditionsInput => ({
  chainType: 'EVM',
  conditions: [{ id: 1, ...condition }],
})
const minimum = (value: string | undefined, min = '1') => ({ comparator: '>=', value: value ?? min })
const isEqual = (value: string) => ({ comparator: '==', value })

/** The most common conditions, by name. */
export const conditionTemplates: Readonly<Record<string, Template>> = {
  balance: (values) =>
    evm({
      standardContractType: '',
      chain: values.chain ?? 'Ethereum',
      method: 'getBalance',
      returnValueTest: minimum(values.min),
    }),
  block: (values) =>
    evm({
      standardContractType: '',
      chain: values.chain ?? 'Ethereum',
      method: 'getBlockNumber',
      returnValueTest: minimum(values.min),
    }),
  erc20: (values) =>
    evm({
      standardContractType: 'ERC20',
      chain: values.chain ?? 'Ethereum',
      contractAddress: contractOf(values),
      method: 'balanceOf',
      parameters: [user],
      returnValueTest: minimum(values.min),
    }),
  erc721: (values) =>
    evm({
      standardContractType: 'ERC721',
      chain: values.chain ?? 'Ethereum',
      contractAddress: contractOf(values),
      ...(values.tokenId === undefined
        ? { method: 'balanceOf', parameters: [user], returnValueTest: minimum(values.min) }
        : { method: 'ownerOf', parameters: [values.tokenId], returnValueTest: isEqual(user) }),
    }),
  erc1155: (values) =>
    evm({
      standardContractType: 'ERC1155',
      chain: values.chain ?? 'Ethereum',
      contractAddress: contractOf(values),
      method: 'balanceOf',
      parameters: [user, values.tokenId ?? '1'],
      returnValueTest: minimum(values.min),
    }),
  member: (values) =>
    evm({
      standardContractType: 'Custom',
      chain: values.chain ?? 'Ethereum',
      contractAddress: contractOf(values),
      method: 'isMember',
      parameters: [user],
      inputArrayType: ['address'],
      outputType: 'bool',
      returnValueTest: isEqual('true'),
    }),
  solana: (values) => ({
    chainType: 'SOLANA',
    conditions: [
      {
        id: 1,
        standardContractType: '',
        chain: values.chain ?? 'MAINNET',
        method: 'getBalance',
        pdaInterface: { offset: 0, selector: '' },
        returnValueTest: minimum(values.min),
      },
    ],
  }),
  spl: (values) => ({
    chainType: 'SOLANA',
    conditions: [
      {
        id: 1,
        standardContractType: 'spl-token',
        chain: values.chain ?? 'MAINNET',
        contractAddress: values.contract ?? '11111111111111111111111111111111',
        method: 'getTokenAccountsByOwner',
        parameters: [user],
        pdaInterface: { offset: 0, selector: 'account.data.parsed.info.tokenAmount.amount' },
        returnValueTest: minimum(values.min),
      },
    ],
  }),
}
