export { paymentsSource } from './generated/source.ts'
