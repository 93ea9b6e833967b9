import { testLargeDrive } from '../console/large-drive.ts'

testLargeDrive(50_000)
