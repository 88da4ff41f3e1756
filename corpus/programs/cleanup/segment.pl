#!/usr/bin/perl
# Splits a raw text into sentences.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/vendor";
use Lingua::SentenceEdge qw(split_text);

while (my $line = <STDIN>) {
	print join("\n", split_text($line)), "\n";
}
