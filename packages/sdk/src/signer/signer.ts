/** An address with the function that signs for it. */
export type ResolvedSigner = { address: string; sign(message: string): Promise<string> }
