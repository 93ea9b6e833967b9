// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @notice DAI's permit, which is older than EIP-2612 and allows all or nothing.
interface IDaiPermit {
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}

/// @notice EIP-3009: a transfer that its holder signed and only its receiver can submit.
interface IReceiveWithAuthorization {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Payments for storage
/// @notice Takes the chain's own coin and allowed tokens, and emits one event for each payment. It knows no price and no
/// quota: readers of the events decide what an amount buys. It cannot be upgraded.
/// @dev Calls, errors and the event `ReceivedPayment` are those that published clients know.
contract Payments is Ownable2Step, Pausable, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// @notice One payment. `amount` is what arrived, in the smallest units; `tokenAddress` is zero for the chain's own
    /// coin; `data` is empty, or the ABI-encoded address of the account that receives the storage, if that is not the sender.
    event ReceivedPayment(
        address indexed sender,
        address indexed tokenAddress,
        uint256 txId,
        uint256 amount,
        uint256 timestamp,
        bytes data
    );
    /// @notice Money left the contract.
    event TokenTransferred(address indexed receiver, address indexed tokenAddress, uint256 indexed amount);
    /// @notice A token was allowed as payment, or forbidden.
    event TokenStatusChanged(address indexed tokenAddress, bool status);

    error TOKEN_NOT_SUPPORTED();
    error TOKEN_PAYMENT_FAILED();
    error INSUFFICIENT_USER_BALANCE();
    error INSUFFICIENT_CONTRACT_BALANCE();
    error INVALID_ZERO_ADDRESS();
    /// @notice A payment of nothing.
    error INVALID_AMOUNT();
    /// @notice The receiver rejected a withdrawal.
    error WITHDRAWAL_FAILED();
    /// @notice The owner cannot give up the contract.
    error OWNER_REQUIRED();

    /// @notice Whether a token is accepted as payment.
    mapping(address token => bool) public tokenStatus;
    /// @notice Number of the last payment; the first one has 1.
    uint256 public lastTxId;

    constructor(address initialOwner) Ownable(initialOwner) {}

    /// @notice Pays in the chain's own coin for the sender.
    receive() external payable {
        _receiveNative("");
    }

    /// @notice The same for a transfer with data, which is ignored.
    fallback() external payable {
        _receiveNative("");
    }

    /// @notice Pays in the chain's own coin for another account.
    function payFor(address beneficiary) external payable {
        _receiveNative(_nameBeneficiary(beneficiary));
    }

    /// @notice Pays `amount` of an allowed token that the sender has approved before.
    function receiveToken(uint256 amount, address token) external nonReentrant {
        _receiveToken(amount, token, "");
    }

    /// @notice The same for another account.
    function receiveTokenFor(uint256 amount, address token, address beneficiary) external nonReentrant {
        _receiveToken(amount, token, _nameBeneficiary(beneficiary));
    }

    /// @notice Pays with an EIP-2612 permit instead of an approval.
    /// @dev Another sender may have submitted the permit already, so only the allowance counts.
    function receiveTokenWithPermit(
        uint256 amount,
        address token,
        address beneficiary,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        _requireToken(token);
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        _receiveToken(amount, token, _nameBeneficiary(beneficiary));
    }

    /// @notice Pays with a permit of DAI's own form, which allows everything until it is revoked.
    function receiveTokenWithDaiPermit(
        uint256 amount,
        address token,
        address beneficiary,
        uint256 nonce,
        uint256 expiry,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        _requireToken(token);
        try IDaiPermit(token).permit(msg.sender, address(this), nonce, expiry, true, v, r, s) {} catch {}
        _receiveToken(amount, token, _nameBeneficiary(beneficiary));
    }

    /// @notice Pays with an EIP-3009 authorisation, which anyone may submit: `from` signed the amount, this contract as
    /// receiver, and a nonce that binds the beneficiary (see `authorizationNonce`).
    function receiveTokenWithAuthorization(
        address from,
        uint256 amount,
        address token,
        address beneficiary,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 salt,
        bytes calldata signature
    ) external nonReentrant whenNotPaused {
        _requireToken(token);
        if (amount == 0) revert INVALID_AMOUNT();
        bytes32 nonce = authorizationNonce(beneficiary, salt);
        uint256 before = IERC20(token).balanceOf(address(this));
        IReceiveWithAuthorization(token).receiveWithAuthorization(
            from, address(this), amount, validAfter, validBefore, nonce, signature
        );
        _record(from, token, _arrived(token, before), beneficiary == from ? bytes("") : _encode(beneficiary));
    }

    /// @notice The nonce that an authorisation must be signed with: no one can redirect it to another account.
    function authorizationNonce(address beneficiary, bytes32 salt) public pure returns (bytes32) {
        if (beneficiary == address(0)) revert INVALID_ZERO_ADDRESS();
        return keccak256(abi.encode(beneficiary, salt));
    }

    /// @notice Balance of a token.
    function getERC20Balance(address token) external view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    /// @notice Balance of the chain's own coin.
    function getNativeBalance() external view returns (uint256) {
        return address(this).balance;
    }

    /// @notice Whether a token is accepted as payment.
    function getTokenStatus(address token) external view returns (bool) {
        return tokenStatus[token];
    }

    /// @notice Allows or forbids a token. Tokens whose balances change on their own must never be allowed.
    function updateERC20Token(address token, bool status) external onlyOwner {
        if (token == address(0)) revert INVALID_ZERO_ADDRESS();
        tokenStatus[token] = status;
        emit TokenStatusChanged(token, status);
    }

    /// @notice Stops payments; withdrawals continue.
    function pause() external onlyOwner {
        _pause();
    }

    /// @notice Accepts payments again.
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Withdraws payments and plain transfers. The zero address stands for the chain's own coin.
    function withdraw(address token, address payable to, uint256 amount) external onlyOwner nonReentrant {
        if (to == address(0)) revert INVALID_ZERO_ADDRESS();
        uint256 held = token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
        if (amount > held) revert INSUFFICIENT_CONTRACT_BALANCE();
        emit TokenTransferred(to, token, amount);
        if (token == address(0)) {
            (bool done,) = to.call{value: amount}("");
            if (!done) revert WITHDRAWAL_FAILED();
        } else {
            IERC20(token).safeTransfer(to, amount);
        }
    }

    /// @notice Always fails: without an owner, the contract would keep what it holds and receives forever.
    function renounceOwnership() public pure override {
        revert OWNER_REQUIRED();
    }

    function _receiveNative(bytes memory data) private whenNotPaused {
        if (msg.value == 0) revert INVALID_AMOUNT();
        _record(msg.sender, address(0), msg.value, data);
    }

    function _receiveToken(uint256 amount, address token, bytes memory data) private whenNotPaused {
        _requireToken(token);
        if (amount == 0) revert INVALID_AMOUNT();
        if (IERC20(token).balanceOf(msg.sender) < amount) revert INSUFFICIENT_USER_BALANCE();
        uint256 before = IERC20(token).balanceOf(address(this));
        if (!IERC20(token).trySafeTransferFrom(msg.sender, address(this), amount)) revert TOKEN_PAYMENT_FAILED();
        _record(msg.sender, token, _arrived(token, before), data);
    }

    /// @dev Some tokens keep a fee, so the amount that arrived counts.
    function _arrived(address token, uint256 before) private view returns (uint256) {
        uint256 afterwards = IERC20(token).balanceOf(address(this));
        if (afterwards <= before) revert TOKEN_PAYMENT_FAILED();
        return afterwards - before;
    }

    function _record(address sender, address token, uint256 amount, bytes memory data) private {
        emit ReceivedPayment(sender, token, ++lastTxId, amount, block.timestamp, data);
    }

    function _requireToken(address token) private view {
        if (!tokenStatus[token]) revert TOKEN_NOT_SUPPORTED();
    }

    function _nameBeneficiary(address beneficiary) private view returns (bytes memory) {
        if (beneficiary == address(0)) revert INVALID_ZERO_ADDRESS();
        return beneficiary == msg.sender ? bytes("") : _encode(beneficiary);
    }

    function _encode(address beneficiary) private pure returns (bytes memory) {
        return abi.encode(beneficiary);
    }
}
