/** A requested name: an IPNS name in canonical form, or a DNS name in lower case. */
export type RequestedName = { kind: 'ipns'; name: string } | { kind: 'dns'; host: string }
