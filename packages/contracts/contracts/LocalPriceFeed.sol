// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice A price feed for local networks and tests, with the interface of Chainlink's. Its owner says the price.
contract LocalPriceFeed is Ownable {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public immutable decimals;
    string public description;
    uint256 public constant version = 4;
    uint80 private constant PHASE = uint80(1) << 64;
    Round[] private rounds;

    constructor(uint8 decimals_, string memory description_, int256 answer) Ownable(msg.sender) {
        decimals = decimals_;
        description = description_;
        // With nothing to say yet, the first round is the one that is pushed.
        if (answer != 0) rounds.push(Round(answer, block.timestamp));
    }

    /// @notice Adds a round that is of now.
    function push(int256 answer) external onlyOwner {
        rounds.push(Round(answer, block.timestamp));
    }

    /// @notice Adds a round of any time.
    function pushAt(int256 answer, uint256 updatedAt) external onlyOwner {
        rounds.push(Round(answer, updatedAt));
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return _read(uint80(rounds.length));
    }

    function getRoundData(uint80 roundId) external view returns (uint80, int256, uint256, uint256, uint80) {
        require(roundId > PHASE && roundId - PHASE <= rounds.length, "No data present");
        return _read(roundId - PHASE);
    }

    function _read(uint80 number) private view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory round = rounds[number - 1];
        uint80 roundId = PHASE + number;
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }
}
