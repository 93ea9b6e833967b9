export * from './generated/bytecodes.ts'
