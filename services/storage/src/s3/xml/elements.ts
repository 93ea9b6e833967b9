import type { XmlRecord } from './write-xml.ts'

export function ownerXml(address: string): XmlRecord {
  return { ID: address, DisplayName: address }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
