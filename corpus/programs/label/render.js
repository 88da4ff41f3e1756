// Renders previews; the palette is read late, when the first frame is done.
'use strict';
for (let i = 1; i <= 4; i++)
	console.log('render: frame %d of 240, %s', i, (0.21 * i).toFixed(2) + ' s');
const { palette } = require('./palette.js');
console.log(palette(3));
