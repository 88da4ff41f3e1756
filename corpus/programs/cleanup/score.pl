#!/usr/bin/perl
# score.pl CASE: n-gram precision of a translation against its reference.
use strict;
use warnings;

package Corpus;

sub new {
	my ($class, %fields) = @_;
	return bless {%fields}, $class;
}

sub words { return split ' ', $_[0]{text} }

sub doc {
	my ($self, $id) = @_;
	return $self->{docs}{$id};
}

package main;

sub precision {
	my ($hit, $total) = @_;
	return 100 * $hit / $total;
}

my $hyp = Corpus->new(text => "the cat sat on a mat", docs => {});
my $ref = Corpus->new(text => "the cat sat on the mat");
my %seen = map { $_ => 1 } $ref->words;
my $hit = grep { $seen{$_} } $hyp->words;
my $case = shift @ARGV;

printf STDERR "score.pl: %d of %d words match\n", $hit, scalar($hyp->words);
printf "1-gram precision %.2f\n", precision($hit, scalar($hyp->words));
if ($case eq 'empty') {
	printf "4-gram precision %.2f\n", precision(0, 0);
} elsif ($case eq 'lemma') {
	print join(' ', $hyp->lemmas), "\n";
} elsif ($case eq 'doc') {
	print $hyp->doc('en-0417')->words, "\n";
} else {
	use warnings FATAL => 'utf8';
	open(my $raw, '>:raw', 'hyp.txt') or die "hyp.txt: $!";
	print $raw "un caf\xe9 noir\n";
	close($raw);
	open(my $in, '<:encoding(UTF-8)', 'hyp.txt') or die "hyp.txt: $!";
	while (my $line = <$in>) {
		print length($line), " letters\n";
	}
}
