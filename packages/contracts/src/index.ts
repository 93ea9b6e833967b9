export * from './generated/abis.ts'
