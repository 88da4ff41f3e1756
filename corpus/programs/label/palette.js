// The colours of the classes. Edited by hand once too often.
'use strict';
const classes = ['road', 'rail', 'water'];

function palette(shift) {
	return classes.map((name, i) => ({
		name,
		colour: [(37 * i + shift) % 256, 80, 255 - 60 * i],
	});
}

module.exports = { palette };
