import type { ReceivedResponse, ReceiveRequest } from '../local-source.ts'

/** Browsers have only fetch. */
export const receiveBody: ((request: ReceiveRequest) => Promise<ReceivedResponse>) | undefined = undefined
