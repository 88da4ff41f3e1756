// Draws boxes of a small detector on frames before people correct them.
'use strict';
const fs = require('fs');

let clock = Date.parse('2025-03-11T08:00:04.218Z');
function log(level, fields) {
	clock += 431;
	console.log(JSON.stringify({ time: new Date(clock).toISOString(),
		level, name: 'prelabel', ...fields }));
}

function detect(frame) {
	const boxes = [];
	for (let i = 0; i < frame % 4; i++)
		boxes.push({ x: i * 10, y: frame, score: 1 / (i + 1.3) });
	return { frame, best: boxes[0], boxes };
}

async function frames() {
	for (let i = 1; i <= 8; i++) {
		const found = detect(i);
		log('info', { frame: i, score: found.best.score });
		await null;
	}
}

function weights() {
	log('info', { msg: 'loading the detector' });
	const ort = require('onnx-lite-node');
	return ort.load('detector.onnx');
}

function thresholds() {
	for (let i = 1; i <= 3; i++)
		log('info', { frame: i, boxes: detect(i).boxes.length });
	return detect(7).boxes.filter(b => b.score > minScore);
}

function offsets() {
	const size = BigInt(fs.statSync(__filename).size) * 1048576n;
	for (let i = 1; i <= 3; i++)
		log('info', { frame: i, boxes: detect(i).boxes.length });
	log('info', { msg: 'archive offsets', size: String(size) });
	return size / 1024;
}

function batch() {
	const all = [];
	for (let i = 0; ; i++) {
		all.push(Array.from({ length: 40000 }, (_, k) => ({ id: k * i })));
		if (i % 3 === 0)
			log('info', { msg: 'frames in memory', frames: i });
	}
}

function exporter() {
	const model = { predict: detect };
	log('info', { msg: 'exporting', classes: 3 });
	return model.predictAll([1, 2, 3]);
}

log('info', { msg: 'start', case: process.argv[2] });
({ frames, weights, thresholds, offsets, batch, exporter })[process.argv[2]]();
