export { localDaiAbi, localPriceFeedAbi, localUsdcAbi, localUsdtAbi, paymentsAbi } from './generated/abis.ts'
