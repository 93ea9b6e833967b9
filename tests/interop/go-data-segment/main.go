// Answers questions about FRC-0058 with the reference implementation: one JSON document in, one out.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"

	"github.com/filecoin-project/go-data-segment/datasegment"
	"github.com/filecoin-project/go-data-segment/merkletree"
	commcid "github.com/filecoin-project/go-fil-commcid"
	commp "github.com/filecoin-project/go-fil-commp-hashhash"
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/ipfs/go-cid"
)

type piece struct {
	Cid  string `json:"cid"`
	Size uint64 `json:"size"`
}

type path struct {
	Index uint64   `json:"index"`
	Path  [][]byte `json:"path"`
}

type question struct {
	// Bytes whose commitment is asked for.
	Payloads [][]byte `json:"payloads"`
	// Pieces of an aggregate, by position, its padded size, and its index as the provider serves it.
	Pieces []piece `json:"pieces"`
	Size   uint64  `json:"size"`
	Index  []byte  `json:"index"`
	// A proof of each piece.
	Proofs []struct {
		Subtree path `json:"subtree"`
		Entry   path `json:"entry"`
	} `json:"proofs"`
}

type entry struct {
	Cid    string `json:"cid"`
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
}

type answer struct {
	Payloads  []piece `json:"payloads"`
	Aggregate string  `json:"aggregate"`
	// The aggregate that each proof leads to; the size is 0 and the cid an error if it leads nowhere.
	Proven  []piece `json:"proven"`
	Entries []entry `json:"entries"`
}

func main() {
	var asked question
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	answered := answer{Payloads: []piece{}, Proven: []piece{}, Entries: []entry{}}
	for _, payload := range asked.Payloads {
		calculator := new(commp.Calc)
		_, err := calculator.Write(payload)
		check(err)
		root, size, err := calculator.Digest()
		check(err)
		id, err := commcid.DataCommitmentV1ToCID(root)
		check(err)
		answered.Payloads = append(answered.Payloads, piece{id.String(), size})
	}
	infos := make([]abi.PieceInfo, len(asked.Pieces))
	for i, one := range asked.Pieces {
		id, err := cid.Decode(one.Cid)
		check(err)
		infos[i] = abi.PieceInfo{PieceCID: id, Size: abi.PaddedPieceSize(one.Size)}
	}
	aggregate, err := datasegment.NewAggregate(abi.PaddedPieceSize(asked.Size), infos)
	check(err)
	id, err := aggregate.PieceCID()
	check(err)
	answered.Aggregate = id.String()
	for i, one := range asked.Proofs {
		proof := datasegment.InclusionProof{ProofSubtree: proofData(one.Subtree), ProofIndex: proofData(one.Entry)}
		aux, err := proof.ComputeExpectedAuxData(datasegment.VerifierDataForPieceInfo(infos[i]))
		if err != nil {
			answered.Proven = append(answered.Proven, piece{err.Error(), 0})
			continue
		}
		answered.Proven = append(answered.Proven, piece{aux.CommPa.String(), uint64(aux.SizePa)})
	}
	index, err := datasegment.ParseDataSegmentIndex(bytes.NewReader(asked.Index))
	check(err)
	valid, err := index.ValidEntries()
	check(err)
	for _, one := range valid {
		answered.Entries = append(answered.Entries, entry{one.PieceCID().String(), one.Offset, one.Size})
	}
	check(json.NewEncoder(os.Stdout).Encode(answered))
}

func proofData(from path) merkletree.ProofData {
	nodes := make([]merkletree.Node, len(from.Path))
	for i, one := range from.Path {
		copy(nodes[i][:], one)
	}
	return merkletree.ProofData{Path: nodes, Index: from.Index}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
