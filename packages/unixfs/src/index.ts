export {
  type CarBlock,
  type CarLimits,
  type CarReading,
  encodeCarFrame,
  encodeCarHeader,
  readCar,
} from './car.ts'
export { UnixfsError, type UnixfsErrorCode } from './unixfs-error.ts'
