import { createDescribe } from '@cairn/service/on-databases-fixture'
import { migrations } from './db/database.ts'

export const describeOnDatabases = createDescribe(migrations, 'CAIRN_KEYNODE_DATABASE_URL')
