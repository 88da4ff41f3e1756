#!/usr/bin/perl
# Counts words and keeps the most frequent ones.
use strict;
use warnings;

my %count;
while (my $line = <STDIN>) {
	$count{$_}++ for split ' ', lc $line;
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
splice(@words, $max_words) if @words > $max_words;
print "$_\t$count{$_}\n" for @words;
