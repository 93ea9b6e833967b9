export {
  localDaiBytecode,
  localPriceFeedBytecode,
  localUsdcBytecode,
  localUsdtBytecode,
  paymentsBytecode,
} from './generated/bytecodes.ts'
