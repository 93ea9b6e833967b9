import { testLargeDrive } from './large-drive.ts'

testLargeDrive(5_000)
